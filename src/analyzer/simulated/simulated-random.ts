/** A number in [0, 1) that depends only on its keys, so that the simulated site is the same for the same seed. */
export function random(...keys: readonly (number | string)[]): number {
  let hash = 0x811c9dc5;
  for (const key of keys) {
    const text = String(key);
    for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
    hash = Math.imul(hash ^ 0x2f, 0x01000193);
  }
  // final mix, so that similar keys give different numbers
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

/** An integer from `min` to `max`, both inclusive. */
export function randomInteger(min: number, max: number, ...keys: readonly (number | string)[]): number {
  return min + Math.floor(random(...keys) * (max - min + 1));
}

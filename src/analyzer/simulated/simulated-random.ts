const PRIME = 0x01000193;

/**
 * A number in [0, 1) that depends only on its keys, so that the simulated site is the same for the same seed.
 *
 * @param keys texts and integers below 2^32
 */
export function random(...keys: readonly (number | string)[]): number {
  return keyOf(...keys) / 2 ** 32;
}

/** A key for what depends on the same keys: one number takes less time than many. */
export function keyOf(...keys: readonly (number | string)[]): number {
  let hash = 0x811c9dc5;
  for (const key of keys) {
    if (typeof key === 'number') {
      hash = Math.imul(hash ^ key, PRIME);
      // its upper bits too: the product has only moved them up
      hash = Math.imul(hash ^ (key >>> 16), PRIME);
    } else {
      for (let i = 0; i < key.length; i += 1) hash = Math.imul(hash ^ key.charCodeAt(i), PRIME);
    }
    hash = Math.imul(hash ^ 0x2f, PRIME);
  }
  // final mix, so that similar keys give different numbers
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** An integer from `min` to `max`, both inclusive. */
export function randomInteger(min: number, max: number, ...keys: readonly (number | string)[]): number {
  return min + Math.floor(random(...keys) * (max - min + 1));
}

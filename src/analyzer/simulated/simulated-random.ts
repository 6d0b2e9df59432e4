/** Chance that depends only on its keys, so that the simulated site is the same for the same seed. */

type Keys = readonly (number | string)[];

const PRIME = 0x01000193;
const RANGE = 2 ** 32;

/** An integer from 0 to 2^32 - 1. Similar keys give different ones. */
function mix(keys: Keys): number {
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
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** A key for what depends on the same keys: one number takes less time than many. */
export const keyOf = (...keys: Keys): number => mix(keys);

/** A number in [0, 1). @param keys texts and integers below 2^32 */
export const random = (...keys: Keys): number => mix(keys) / RANGE;

/** An integer from `min` to `max`, both inclusive. */
export const randomInteger = (min: number, max: number, ...keys: Keys): number =>
  min + Math.floor((mix(keys) / RANGE) * (max - min + 1));

/** Random numbers with a seed, for demand whose truth is known. */

export interface Random {
  /** In [0, 1). */
  next(): number;
  normal(): number;
  /** Counts of independent events. */
  poisson(mean: number): number;
}

export function createRandom(seed: number): Random {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0;
  const next = (): number => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  const poisson = (mean: number): number => {
    if (mean > 40) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal()));
    let count = -1;
    for (let rest = 1, least = Math.exp(-mean); rest > least; rest *= next()) count += 1;
    return Math.max(0, count);
  };
  return { next, normal, poisson };
}

/** Items sorted at once. Longer lists are merged from such runs. */
const RUN = 64;

/** A stable merge sort, in slices. */
export function* sorted<T>(items: readonly T[], compare: (a: T, b: T) => number): Generator<void, T[]> {
  let from: T[] = [];
  for (let start = 0; start < items.length; start += RUN) {
    from.push(...items.slice(start, start + RUN).sort(compare));
    yield;
  }
  for (let width = RUN; width < from.length; width *= 2) {
    const to: T[] = [];
    for (let start = 0; start < from.length; start += 2 * width) {
      const [middle, end] = [Math.min(start + width, from.length), Math.min(start + 2 * width, from.length)];
      let [left, right] = [start, middle];
      while (left < middle || right < end) {
        const isLeft = right >= end || (left < middle && compare(from[left] as T, from[right] as T) <= 0);
        to.push(from[isLeft ? left : right] as T);
        if (isLeft) left += 1;
        else right += 1;
        if (to.length % RUN === 0) yield;
      }
    }
    from = to;
  }
  return from;
}

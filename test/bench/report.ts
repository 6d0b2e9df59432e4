/** One line of the report: ours and the peer's, measured in the same run. */
export interface Line {
  readonly what: string;
  readonly ours: number;
  readonly peer: number;
  readonly unit: string;
  /** By which factor ours is better. */
  readonly ratio: number;
}

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** Median milliseconds of several alternating runs of both. */
export async function compare(
  runs: number,
  ours: () => unknown,
  peer: () => unknown,
): Promise<{ ours: number; peer: number }> {
  const times: { ours: number[]; peer: number[] } = { ours: [], peer: [] };
  for (let i = 0; i <= runs; i += 1) {
    for (const [name, run] of [
      ['ours', ours],
      ['peer', peer],
    ] as const) {
      const started = performance.now();
      await run();
      // the first run of each is a warm-up
      if (i > 0) times[name].push(performance.now() - started);
    }
  }
  return { ours: median(times.ours), peer: median(times.peer) };
}

const figure = (value: number): string =>
  value >= 1000 ? Math.round(value).toLocaleString('en-US') : value.toPrecision(3);

export function print(lines: readonly Line[], isJson: boolean): void {
  if (isJson) {
    process.stdout.write(`${JSON.stringify(lines, undefined, 2)}\n`);
    return;
  }
  const rows = lines.map(({ what, ours, peer, unit, ratio }) => [
    what,
    `${figure(ours)} ${unit}`,
    `${figure(peer)} ${unit}`,
    `${figure(ratio)} ×`,
  ]);
  const table = [['', 'ours', 'peer', 'better by'], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  for (const row of table) {
    process.stdout.write(
      `${row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('   ')
        .trimEnd()}\n`,
    );
  }
}

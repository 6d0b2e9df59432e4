/** `/Date(ms)/` of spec 2.5. */
export function formatDate(epochMs: number): string {
  return `/Date(${epochMs})/`;
}

/** Epoch milliseconds of a `/Date(ms)/` text; `undefined` for any other text. An offset (`+0100`) is for display only. */
export function parseDate(text: string): number | undefined {
  const match = /^\/Date\((-?\d{1,16})(?:[+-]\d{4})?\)\/$/.exec(text);
  return match?.[1] === undefined ? undefined : Number(match[1]);
}

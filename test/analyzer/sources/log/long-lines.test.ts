import { describe, expect, it } from 'vitest';
import { debugLog } from '../../../../src/analyzer/sources/flexnet/debug-log-denials.ts';
import { debugLogUsage } from '../../../../src/analyzer/sources/flexnet/debug-log-usage.ts';
import { LineDecoder } from '../../../../src/analyzer/sources/log/line-decoder.ts';
import type { UsageEvents } from '../../../../src/analyzer/sources/log/usage-log.ts';
import { reportLog } from '../../../../src/analyzer/sources/rlm/report-log.ts';
import { reportLogUsage } from '../../../../src/analyzer/sources/rlm/report-log-usage.ts';
import { createLocalTime } from '../../../../src/base/model/local-time.ts';

/** A file without line ends is no log. It is not kept in memory, and it is not called understood. */

const localTime = createLocalTime('UTC');
const when = { now: 1_773_800_000, isRecent: true };
const events = new Proxy({} as UsageEvents, { get: () => () => undefined });
const beginning = { at: when.now, isGuessed: false };

const MEGABYTE = 2 ** 20;

describe.each([
  ['letters', 'x'],
  ['a record of RLM', 'DENY a 1.0 u h '],
  ['a refusal of FlexNet', '10:00:00 (ansyslmd) DENIED: "a" u@h '],
])('200 MB of %s without a line end', (_, text) => {
  const piece = Buffer.from(text.repeat(Math.ceil(MEGABYTE / text.length)));

  function* pieces(): Generator<string[], void> {
    const decoder = new LineDecoder(undefined);
    for (let i = 0; i < 200; i += 1) yield decoder.push(piece);
    yield decoder.push(Buffer.from('\n'));
  }

  it.each([
    ['debug log', debugLog],
    ['report log', reportLog('isv')],
  ])('are one line that is not understood in a %s of denials', (__, log) => {
    const reader = log.createReader(localTime);
    const denials = [...pieces()].flatMap((lines) => reader.push(lines, when));
    expect([denials, reader.diagnostics.unparsed]).toEqual([[], 1]);
  });

  it.each([
    ['debug log', debugLogUsage],
    ['report log', reportLogUsage],
  ])('are one line that is not understood in a %s of checkouts', (__, log) => {
    const numbers: number[] = [];
    const reader = log.readFile(localTime, beginning, events, (line) => numbers.push(line));
    for (const lines of pieces()) reader.push(lines);
    expect([numbers, reader.diagnostics.unparsed]).toEqual([[1], 1]);
  });
});

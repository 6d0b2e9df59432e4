import { type Broken, BUDGET, type Outcome, POLL_SECONDS } from './run-scenario.ts';

const MIB = 2 ** 20;

/** Limits for every storm. That of a scrape is for a host that does nothing else. */
const limits = {
  worstScrapeMs: 2000,
  peakMemory: 700 * MIB,
  handleGrowth: 16,
} as const;

/** Every limit that a storm exceeded, in words. @param isTimed whether limits in seconds are among them */
export function findProblems(outcome: Outcome | Broken, isTimed: boolean): string[] {
  if ('broken' in outcome) return [outcome.broken];
  const { before, after, recoverySeconds, recoveryLimit } = outcome;
  const isLate = recoverySeconds > recoveryLimit;
  const problems: [boolean, string][] = [
    [outcome.failedScrapes.length > 0, `${outcome.failedScrapes.length} scrapes failed: ${outcome.failedScrapes[0]}`],
    [isTimed && outcome.worstScrapeMs > limits.worstScrapeMs, `a scrape took ${Math.round(outcome.worstScrapeMs)} ms`],
    [outcome.ended.length > 0, `${outcome.ended.length} series ended: ${outcome.ended[0]}`],
    [outcome.notShown.length > 0, `not on the page: ${outcome.notShown[0]}`],
    [outcome.stillShown.length > 0, `still on the page: ${outcome.stillShown[0]}`],
    [outcome.wrong.length > 0, `${outcome.wrong.length} wrong figures: ${outcome.wrong[0]}`],
    [!isTimed && recoverySeconds === Number.POSITIVE_INFINITY, 'not right again'],
    [isTimed && isLate, `not right within ${recoveryLimit} s of recovery, but after ${recoverySeconds.toFixed(1)} s`],
    [outcome.staysDown && outcome.isUpAtEnd, 'license_up is 1 although the logon cannot succeed'],
    [outcome.logons > outcome.logonLimit, `${outcome.logons} logons, ${outcome.logonLimit} allowed`],
    [outcome.worstDebt > BUDGET, `${outcome.worstDebt} logons without a good verdict, ${BUDGET} allowed`],
    [outcome.badLogons > BUDGET && !outcome.staysDown, `${outcome.badLogons} bad logons in 31 minutes`],
    [outcome.isLocked, 'the referee locked the account'],
    [
      after.memory - before.memory > outcome.memoryGrowth,
      `memory grew from ${Math.round(before.memory / MIB)} to ${Math.round(after.memory / MIB)} MiB`,
    ],
    [outcome.peakMemory > limits.peakMemory, `memory reached ${Math.round(outcome.peakMemory / MIB)} MiB`],
    [after.handles - before.handles > limits.handleGrowth, `handles grew from ${before.handles} to ${after.handles}`],
  ];
  return problems.filter(([exceeded]) => exceeded).map(([, text]) => text);
}

const heading = [
  'storm',
  'faults s',
  'scrapes',
  'worst ms',
  'recovery s',
  'polls',
  'logons',
  'unproven',
  'bad',
  'MiB before/peak/after',
  'handles',
  'sockets',
];

function row(outcome: Outcome | Broken): string[] {
  if ('broken' in outcome) return [outcome.name, 'broken'];
  const { before, after, peakMemory, recoverySeconds, hasAnyEnd } = outcome;
  const staysDown = outcome.staysDown || hasAnyEnd;
  const isSeen = Number.isFinite(recoverySeconds);
  const recovery = staysDown ? '-' : isSeen ? recoverySeconds.toFixed(1) : `> ${outcome.recoveryLimit}`;
  return [
    outcome.name,
    outcome.faultSeconds.toFixed(0),
    String(outcome.scrapes),
    outcome.worstScrapeMs.toFixed(0),
    recovery,
    staysDown || !isSeen ? '-' : String(Math.floor(recoverySeconds / POLL_SECONDS)),
    String(outcome.logons),
    String(outcome.worstDebt),
    `${outcome.badLogons}${outcome.isLocked ? ' LOCKED' : ''}`,
    [before.memory, peakMemory, after.memory].map((size) => Math.round(size / MIB)).join(' / '),
    `${before.handles} → ${after.handles}`,
    `${before.sockets} → ${after.sockets}`,
  ];
}

/** The table of all storms, followed by every exceeded limit. */
export function writeReport(outcomes: readonly (Outcome | Broken)[], referee: string, isTimed: boolean): string {
  const table = [heading, ...outcomes.map(row)];
  const widths = heading.map((_, column) => Math.max(...table.map((cells) => cells[column]?.length ?? 0)));
  const lines = table.map((cells) =>
    cells
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  '),
  );
  const problems = outcomes.flatMap((outcome) => {
    const found = findProblems(outcome, isTimed).map((text) => `${outcome.name}: ${text}`);
    const warned = found.length > 0 && 'lastWarning' in outcome && outcome.lastWarning !== '';
    return warned ? [...found, `  its last warning: ${outcome.lastWarning}`] : found;
  });
  const kept = isTimed ? 'Every storm stayed within its limits.' : 'Every storm kept the limits that are not seconds.';
  const verdict = problems.length === 0 ? [kept] : problems;
  return `Logons are verified by ${referee}.\n\n${[...lines, '', ...verdict].join('\n')}\n`;
}

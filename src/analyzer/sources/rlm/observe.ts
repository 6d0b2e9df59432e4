import type { LocalTime } from '../../../base/model/local-time.ts';
import type { VendorLicenseObservation } from '../../../base/model/observation/observation.ts';
import type { SourceProblem } from '../../../base/model/observation/source-failure.ts';
import type { Parsed } from '../parsed.ts';
import { NEWER, notUnderstood } from '../text-report.ts';
import { timeOf, yearlessTime } from '../times.ts';
import { failureOf, isDown } from './failure.ts';
import { type Dating, observePools } from './pools.ts';
import type { RlmIsv, RlmReport } from './report.ts';

/** The time of the output may differ from ours by this many seconds. */
const CLOCK_TOLERANCE = 300;

/** What a report is read with. */
export interface RlmContext {
  /** `port@host` as configured. It is part of the names of vendor licenses, and stands in messages. */
  readonly server: string;
  /** Third part of the names, empty without one. */
  readonly part: string;
  /** When the output was made, by our clock. Epoch seconds. */
  readonly now: number;
  /** The zone in which the output has its times. */
  readonly localTime: LocalTime;
}

/**
 * What a report says of the licenses of its ISV servers.
 *
 * @throws SourceFailure if it says nothing
 */
export function observeRlm(report: RlmReport, context: RlmContext): Parsed {
  const { server, part } = context;
  const failure = failureOf(report, server);
  if (failure !== undefined) throw failure;
  const problems: SourceProblem[] = [];
  const dating = datingOf(report, context, problems);
  const vendorLicenses: VendorLicenseObservation[] = [];
  let contradictions = 0;
  for (const isv of isvsOf(report)) {
    const problem = problemOf(isv, report, server);
    if (problem !== undefined) problems.push(problem);
    const isContradicting = problem !== undefined && isv.pools.length > 0;
    const observed = problem === undefined ? observePools(isv, dating) : { pools: [], contradictions: 0 };
    contradictions += observed.contradictions + (isContradicting ? 1 : 0);
    vendorLicenses.push({ server, daemon: isv.name, part, reachable: problem === undefined, pools: observed.pools });
  }
  const { masks, unparsed } = report.diagnostics;
  return {
    vendorLicenses,
    problems,
    members: [{ server, up: true, isMaster: true }],
    referenceTime: report.referenceTime,
    diagnostics: { masks, unparsed, contradictions: report.diagnostics.contradictions + contradictions },
  };
}

/** Also those that only an error names. */
function isvsOf({ isvs, errors }: RlmReport): readonly RlmIsv[] {
  const names = errors.flatMap(({ server = 'rlm' }) => (server === 'rlm' ? [] : [server]));
  const others = [...new Set(names)].filter((name) => isvs.every((isv) => isv.name !== name));
  return [...isvs, ...others.map((name) => ({ name, isRunning: undefined, pools: [], usage: [] }))];
}

/** Why an ISV server gives no data. */
function problemOf(isv: RlmIsv, report: RlmReport, server: string): SourceProblem | undefined {
  const { name, isRunning, pools } = isv;
  if (isRunning === false) {
    const message = `RLM at ${server} runs, but its ISV server ${name} does not. Its debug log says why; rlmreread starts it again.`;
    return { kind: 'daemon_down', message };
  }
  if (isDown(isRunning, name, report)) {
    const message = `RLM at ${server} runs, but its ISV server ${name} cannot be reached. Give it a fixed port in its ISV line, and allow that port in the firewall.`;
    return { kind: 'daemon_down', message };
  }
  if (pools.length > 0) return undefined;
  const { unparsed } = report.diagnostics;
  if (unparsed > 0) {
    const understood = `no license pool of the ISV server ${name} of RLM at ${server} is understood`;
    return { kind: 'unparsed', message: `In the output, ${understood}, and ${notUnderstood(unparsed)}. ${NEWER}` };
  }
  const message = `The ISV server ${name} of RLM at ${server} runs, but lists no license pool: look for errors about license files in its debug log.`;
  return { kind: 'empty', message };
}

/** Without a time in the output, ours counts. If the two differ, the times of checkouts cannot be known. */
function datingOf(
  { referenceTime }: RlmReport,
  { server, now, localTime }: RlmContext,
  problems: SourceProblem[],
): Dating {
  const ahead = (referenceTime ?? now) - now;
  if (Math.abs(ahead) <= CLOCK_TOLERANCE) return createDating(referenceTime ?? now, localTime);
  const minutes = Math.round(Math.abs(ahead) / 60);
  const message = `The time in the output for RLM at ${server} is ${minutes} minutes ${ahead > 0 ? 'after' : 'before'} the time of this host, so that the times of checkouts are withheld. Correct the clock, or set the time zone of the output.`;
  problems.push({ kind: 'clock', message, isMinor: true });
  return () => undefined;
}

/** Finds times that are printed without their year. Many checkouts begin at the same minute. */
function createDating(reference: number, localTime: LocalTime): Dating {
  const known = new Map<number, number | undefined>();
  return (start) => {
    const { year = 10_000, month, date, hour, minute, second = 0 } = start;
    // each part has the digits that lines can have, a year four
    const key = ((((year * 100 + month) * 100 + date) * 100 + hour) * 100 + minute) * 100 + second;
    if (known.has(key)) return known.get(key);
    const at =
      start.year === undefined
        ? yearlessTime(start, start, { reference, localTime })
        : timeOf(start.year, start, start, localTime);
    known.set(key, at);
    return at;
  };
}

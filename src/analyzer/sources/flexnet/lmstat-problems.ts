import {
  SourceFailure,
  type SourceFailureKind,
  type SourceProblem,
} from '../../../base/model/observation/source-failure.ts';
import { NEWER, notUnderstood } from '../text-report.ts';
import { errorIn } from './lmstat-lines.ts';
import type { FlexnetError, LmstatReport } from './lmstat-report.ts';
import { memberProblem } from './members.ts';
import type { FlexnetSettings } from './own-settings.ts';
import { NO_DAEMON } from './which-daemon.ts';

/** What FlexNet errors mean and what is wrong with an output, in sentences for the operator. `server` is `port@host` as configured. */

interface Meaning {
  readonly kind: SourceFailureKind;
  /** Follows `The license server 27000@lic1 `. */
  readonly says: string;
}

const cannotBeReached =
  'cannot be reached. Check that lmgrd runs there, that the port is right, and that no firewall is between';

const meanings: ReadonlyMap<number, Meaning> = new Map([
  [-1, { kind: 'exit', says: 'was not asked: lmstat found no license file. Check `servers` of the source' }],
  [-7, { kind: 'unreachable', says: cannotBeReached }],
  [-12, { kind: 'unreachable', says: cannotBeReached }],
  [-14, { kind: 'unreachable', says: 'has a host name that does not resolve here. Add it to DNS or to /etc/hosts' }],
  [-15, { kind: 'unreachable', says: cannotBeReached }],
  [
    -16,
    {
      kind: 'protocol',
      says: 'gave an answer that lmstat cannot read. If it has just started, wait. Else use an lmutil as new as the server',
    },
  ],
  [-17, { kind: 'unreachable', says: 'closed the connection. Check lmgrd.log there' }],
  [
    -63,
    {
      kind: 'refused',
      says: 'refuses the request: this user is not a license administrator. Change the access rules of the server, or run the tool as its administrator',
    },
  ],
  [
    -96,
    {
      kind: 'unreachable',
      says: 'is down, or announces a host name that does not resolve here. If its port is open, add the name on its SERVER line to DNS or to /etc/hosts',
    },
  ],
  [-97, { kind: 'daemon_down', says: 'runs, but its vendor daemon does not. Start it, and check lmgrd.log there' }],
]);

const flexnetLocalServer: Meaning = {
  kind: 'protocol',
  says: 'gave an answer that lmstat cannot read. If it has just started, wait. If it is a FlexNet local license server (flexnetls), lmstat cannot read it: use a source of the manager `json`',
};

const meaningOf = ({ code, detail }: FlexnetError): Meaning | undefined => {
  if (code === -16 && detail === 287) return flexnetLocalServer;
  return code === undefined ? undefined : meanings.get(code);
};

/** `-15,570`, or as far as it is known. */
const errorText = ({ code, detail }: FlexnetError): string =>
  [code, detail].filter((part) => part !== undefined).join(',');

/** The problem of a server that answered with an error. */
function problemOf(error: FlexnetError, server: string): SourceProblem {
  const { kind, says } = meaningOf(error) ?? { kind: 'exit', says: 'answered with an error. Run lmstat by hand' };
  const number = errorText(error);
  return { kind, message: `The license server ${server} ${says}${number === '' ? '' : ` (FlexNet error ${number})`}.` };
}

/** The failure that an error of FlexNet means. @param server as configured, for the sentence */
function failureOf(error: FlexnetError, server: string): SourceFailure {
  const { kind, message } = problemOf(error, server);
  return new SourceFailure(kind, message);
}

/** What the tool left beside its output. */
export interface Exit {
  /** Undefined for files and HTTP. */
  readonly code: number | undefined;
  readonly stderr: string;
}

/**
 * The failure that exit code and standard error report for a text that says nothing. Undefined if they say nothing either.
 * The exit code of lmutil is 256 + the FlexNet error.
 */
export function exitCodeFailure({ code, stderr }: Exit, server: string): SourceFailure | undefined {
  const written = stderr
    .slice(0, 65_536)
    .split('\n')
    .map((line) => errorIn(line.slice(0, 4096).trim()))
    .find((error) => error !== undefined);
  if (written !== undefined) return failureOf(written, server);
  if (code === undefined || code === 0) return undefined;
  if (meanings.has(code - 256)) return failureOf({ code: code - 256, detail: undefined }, server);
  return new SourceFailure('exit', `The tool for ${server} ended with exit code ${code} and no data. Run it by hand.`);
}

/** Seconds between the clock of the tool and ours. The tool prints no seconds. */
const MAX_CLOCK_DIFFERENCE = 300;
const HALF_A_MINUTE = 30;
/** Such a feature is in the license file, but not served; or its daemon is down, which is said elsewhere. */
const IS_EXPECTED = new Set([-5, -97]);

const serverOf = ({ servers }: Pick<FlexnetSettings, 'servers'>): string => servers[0] ?? 'of the source';

/**
 * Why there is no data: neither features nor vendor daemons that are down. Undefined if there is some. The text counts
 * first: lmutil can end with exit code 0 and an error, and with another one and data.
 */
export function failureWithoutData(
  report: LmstatReport,
  settings: FlexnetSettings,
  exit: Exit | undefined,
): SourceFailure | undefined {
  const { features, daemons, members, errors } = report;
  const problem = memberProblem(settings.servers, members);
  const hasFeatures = features.some(({ supply }) => supply.kind !== 'error');
  // without a majority, no license is served: what is listed is not current
  if (problem?.kind === 'no_quorum' && (hasFeatures || members.some(({ up }) => up)))
    return new SourceFailure(problem.kind, problem.message);
  if (hasFeatures) return undefined;
  if (daemons.length > 0 && daemons.every(({ up }) => !up)) return undefined;
  const server = serverOf(settings);
  const error = errors.find(({ code }) => code !== undefined) ?? errors[0] ?? errorOfParts(report);
  if (error !== undefined) return failureOf(error, server);
  if (exit !== undefined) {
    const failure = exitCodeFailure(exit, server);
    if (failure !== undefined) return failure;
  }
  return members.some(({ up }) => up) || daemons.some(({ up }) => up)
    ? emptyFailure(report, server)
    : unparsedFailure(server, report.hasText);
}

/** The error of the first server or feature that has one. */
function errorOfParts({ members, features }: LmstatReport): FlexnetError | undefined {
  const down = members.every(({ up }) => !up) ? members : [];
  const ofFeatures = features.flatMap(({ supply }) => (supply.kind === 'error' ? [supply.error] : []));
  return [...down.map(({ error }) => error), ...ofFeatures.filter(isUnexpected)].find((error) => error !== undefined);
}

const isUnexpected = ({ code }: FlexnetError): boolean => code === undefined || !IS_EXPECTED.has(code);

const emptyFailure = ({ diagnostics: { unparsed } }: LmstatReport, server: string): SourceFailure =>
  unparsed > 0
    ? new SourceFailure(
        'unparsed',
        `The output for ${server} has no feature that is understood, and ${notUnderstood(unparsed)}. ${NEWER}`,
      )
    : new SourceFailure(
        'empty',
        `The license server ${server} runs, but lists no feature. Check that lmstat is called with -a, and that the license file has features.`,
      );

const unparsedFailure = (server: string, hasText: boolean): SourceFailure =>
  new SourceFailure(
    'unparsed',
    hasText
      ? `The output for ${server} is not that of lmstat -a. Check the command or the file of the source.`
      : `The output for ${server} is empty. Run the command of the source by hand, or check its file.`,
  );

/** A tool ends its last line. A part of the output would look like fewer features and users. */
export const cutFailure = ({ servers }: FlexnetSettings): SourceFailure =>
  new SourceFailure(
    'unparsed',
    `The output for ${servers[0]} ends within a line, so it is incomplete. Run the command of the source by hand, to see why.`,
  );

/** The tool ran here, but its clock is not ours. */
export function clockProblem({ referenceTime }: LmstatReport, at: number): SourceProblem | undefined {
  if (referenceTime === undefined || Math.abs(referenceTime - at) <= MAX_CLOCK_DIFFERENCE) return undefined;
  const minutes = Math.round(Math.abs(referenceTime + HALF_A_MINUTE - at) / 60);
  return {
    kind: 'clock',
    message: `The tool prints a time ${minutes} minutes off the clock of this host, so times of checkouts are not known. Check \`time_zone\` of the source, and the clock of the host that runs the tool.`,
    isMinor: true,
  };
}

/** What is wrong with a part of an output that has data. */
export function partialProblems(
  report: LmstatReport,
  settings: FlexnetSettings,
  { down, unattributed, others }: { down: ReadonlySet<string>; unattributed: number; others: readonly string[] },
): SourceProblem[] {
  const server = serverOf(settings);
  const problems: (SourceProblem | undefined)[] = [
    memberProblem(settings.servers, report.members),
    ...report.errors.slice(0, 1).map((error) => problemOf(error, server)),
    ...daemonProblems(report, down, server),
    featureProblem(report, server),
    unattributed === 0 ? undefined : unattributedProblem(unattributed, server),
    othersProblem(others, server),
  ];
  return problems.filter((problem) => problem !== undefined);
}

function daemonProblems(report: LmstatReport, down: ReadonlySet<string>, server: string): SourceProblem[] {
  const lines = new Map(report.daemons.map((daemon) => [daemon.name.toLowerCase(), daemon]));
  return [...down].map((daemon) => {
    const error = lines.get(daemon.toLowerCase())?.error;
    const number = error === undefined ? '' : ` (FlexNet error ${errorText(error)})`;
    return {
      kind: 'daemon_down',
      message: `The vendor daemon ${daemon} of ${server} is down${number}. Start it, and check the log of lmgrd there.`,
    };
  });
}

/** Features that the tool could not read, although their daemon is not listed as down. */
function featureProblem({ features }: LmstatReport, server: string): SourceProblem | undefined {
  const errors = features.flatMap(({ supply }) => (supply.kind === 'error' ? [supply.error] : [])).filter(isUnexpected);
  const [error] = errors;
  if (error === undefined) return undefined;
  const problem = problemOf(error, server);
  return { ...problem, message: `Features could not be read (${errors.length}). ${problem.message}` };
}

const unattributedProblem = (features: number, server: string): SourceProblem => ({
  kind: 'unparsed',
  message: `Features of ${server} are shown under the daemon ${NO_DAEMON} (${features}), because the output does not say which vendor daemon serves them. Configure \`license_files\` of the source.`,
  isMinor: true,
});

function othersProblem(others: readonly string[], server: string): SourceProblem | undefined {
  if (others.length === 0) return undefined;
  return {
    kind: 'unparsed',
    isMinor: true,
    message: `The output for ${server} also has the license servers ${others.join(', ')}, which are not shown. Configure a source for each of them.`,
  };
}

/** The output has several servers, none of which was asked. */
export const othersFailure = ({ serverLists }: LmstatReport, { servers }: FlexnetSettings): SourceFailure =>
  new SourceFailure(
    'unparsed',
    `The output for ${servers[0]} has the license servers ${[...new Set(serverLists.map((list) => list.join(',')))].join(', ')}, and not exactly this one. Write one of them into \`servers\` of the source.`,
  );

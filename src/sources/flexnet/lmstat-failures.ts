import { SourceFailure, type SourceFailureKind, type SourceProblem } from '../../model/observation/source-failure.ts';
import { errorIn } from './lmstat-lines.ts';
import type { FlexnetError } from './lmstat-report.ts';

/** What FlexNet errors mean, and what to do. `server` is `port@host` as configured. */

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

const isKnownError = (code: number): boolean => meanings.has(code);

/** `-15,570`, or as far as it is known. */
export const errorText = ({ code, detail }: FlexnetError): string =>
  [code, detail].filter((part) => part !== undefined).join(',');

/** The problem of a server that answered with an error. */
export function problemOf(error: FlexnetError, server: string): SourceProblem {
  const { kind, says } = meaningOf(error) ?? { kind: 'exit', says: 'answered with an error. Run lmstat by hand' };
  const number = errorText(error);
  return { kind, message: `The license server ${server} ${says}${number === '' ? '' : ` (FlexNet error ${number})`}.` };
}

/** The failure that an error of FlexNet means. @param server as configured, for the sentence */
export function failureOf(error: FlexnetError, server: string): SourceFailure {
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
  if (isKnownError(code - 256)) return failureOf({ code: code - 256, detail: undefined }, server);
  return new SourceFailure('exit', `The tool for ${server} ended with exit code ${code} and no data. Run it by hand.`);
}

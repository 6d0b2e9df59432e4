import { SourceFailure } from '../../../base/model/observation/source-failure.ts';
import { NEWER, notUnderstood } from '../text-report.ts';
import type { RlmError, RlmReport } from './report.ts';

/** Why a report has no data, in a sentence for the operator. */

const hasPool = ({ isvs }: RlmReport): boolean => isvs.some(({ pools }) => pools.length > 0);

/**
 * The failure of the whole source, undefined if the report has data or if at least one ISV server is known to be down.
 *
 * @param server as configured
 */
export function failureOf(report: RlmReport, server: string): SourceFailure | undefined {
  if (new Set(report.masters.map(({ host, port }) => `${port}@${host}`)).size > 1) {
    return new SourceFailure(
      'unparsed',
      `The output for RLM at ${server} is that of ${report.masters.length} license servers. Configure one source for each of them.`,
    );
  }
  if (hasPool(report)) return undefined;
  if (report.masters.length === 0 && report.isvs.length === 0) return failureWithoutServer(report, server);
  return report.isvs.some((isv) => isDown(isv.isRunning, isv.name, report)) ? undefined : emptyFailure(report, server);
}

/** Whether an ISV server does not run, or does not answer. */
export function isDown(isRunning: boolean | undefined, name: string, { errors }: RlmReport): boolean {
  return isRunning === false || errors.some((error) => error.kind === 'unreachable' && error.server === name);
}

function emptyFailure({ isvs, diagnostics: { unparsed } }: RlmReport, server: string): SourceFailure {
  if (unparsed > 0) {
    const message = `The output for RLM at ${server} has no license pool that is understood, and ${notUnderstood(unparsed)}. ${NEWER}`;
    return new SourceFailure('unparsed', message);
  }
  const message =
    isvs.length === 0
      ? `RLM at ${server} runs, but serves no ISV: look for errors about license files in its log, and run rlmreread.`
      : `RLM at ${server} runs, but the output lists no license pool. Check that the tool runs with "rlmstat -a", and that the license files of the server are valid.`;
  return new SourceFailure('empty', message);
}

function failureWithoutServer({ errors, hasText, diagnostics }: RlmReport, server: string): SourceFailure {
  const error = errors.find(({ kind }) => kind === 'unknown_host') ?? errors[0];
  if (error !== undefined) return failures[error.kind](server);
  if (!hasText) {
    return new SourceFailure(
      'unparsed',
      `The output for RLM at ${server} is empty. Run the configured command by hand to see why.`,
    );
  }
  const shape = diagnostics.masks[0];
  return new SourceFailure(
    'unparsed',
    `The output for RLM at ${server} is not that of "rlmutil rlmstat -a"${shape === undefined ? '' : `; its first unknown line looks like "${shape}"`}. Run the configured command by hand to see why.`,
  );
}

/** What an error of the tool means, and what to do. */
const failures: Readonly<Record<RlmError['kind'], (server: string) => SourceFailure>> = {
  unreachable: (server) =>
    new SourceFailure(
      'unreachable',
      `Cannot connect to RLM at ${server}: check that rlm runs there, that port and host are right, and that a firewall allows the port.`,
    ),
  unknown_host: (server) =>
    new SourceFailure(
      'unreachable',
      `Cannot connect to RLM at ${server}: its name has no address here. Correct the name, or add it to DNS.`,
    ),
  refused: (server) =>
    new SourceFailure(
      'refused',
      `RLM at ${server} refuses to report its status to this host: allow "status" in the options file of RLM.`,
    ),
  no_license_file: (server) =>
    new SourceFailure(
      'unparsed',
      `The tool does not know the server ${server}: it must run with "-c ${server}" as its arguments.`,
    ),
  other_manager: (server) =>
    new SourceFailure(
      'unparsed',
      `The output for RLM at ${server} is that of FlexNet's lmstat. Set "manager: flexnet", or configure rlmutil as the command.`,
    ),
};

/** An output that ends within a line. */
export const cutFailure = (server: string): SourceFailure =>
  new SourceFailure(
    'unparsed',
    `The output for RLM at ${server} ends within a line, so it is incomplete. Run the configured command by hand.`,
  );

import { OperatorError } from '../../base/model/operator-error.ts';
import type { ChallengeFacts } from '../../base/ntlm/challenges.ts';
import type { Diagnosis } from './endpoint-diagnosis.ts';
import type { AnalyzerSite, Site } from './site.ts';

/** What a failed step is about, with the exit code of `doctor`: the table of the documentation. */
export const exitCodes = {
  endpoints: { code: 1, meaning: 'An endpoint gives an answer that the exporter does not accept.' },
  configuration: { code: 2, meaning: 'The configuration is not valid: the daemon would not start.' },
  network: { code: 3, meaning: 'The analyzer cannot be reached: name, TCP, or what answers there over HTTP.' },
  tls: { code: 4, meaning: 'TLS: the scheme of the URL, the authority, name or validity of the certificate.' },
  logon: { code: 5, meaning: 'NTLM: not offered, rejected, or on hold.' },
  local: { code: 6, meaning: 'This host: clock, storage directory, listen address, certificate of the web config.' },
  delivery: { code: 7, meaning: 'Alerts cannot be delivered.' },
  sources: { code: 8, meaning: 'A license manager cannot be read, or not completely.' },
} as const satisfies Record<string, { readonly code: number; readonly meaning: string }>;

/** The kind of mistake that an exit code stands for. */
export type ExitClass = keyof typeof exitCodes;

/** The steps in their order. A step is listed once, and the first failed one is the first mistake. */
export type StepName =
  | 'configuration'
  | 'name'
  | 'TCP'
  | 'TLS'
  | 'HTTP'
  | 'logon'
  | 'endpoints'
  | 'settings'
  | 'clock'
  | 'storage'
  | 'archive'
  | 'web'
  | 'Alertmanagers'
  | 'mail'
  | 'webhook'
  | 'sources';

/** The answer to a request without a logon. */
export interface FirstAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The begin of the body. */
  readonly body: Buffer;
}

/** What steps have found, for later ones. */
export interface Evidence {
  firstAnswer?: FirstAnswer;
  challenge?: ChallengeFacts;
  /** How far the clock of the analyzer is ahead of ours, seconds. */
  clockAhead?: number;
  diagnosis?: Diagnosis;
}

type Result = 'ok' | 'warning' | 'failed' | 'not checked';

/** What a check has found: one line, and the lines of the remedy. */
export interface Outcome {
  readonly result: Result;
  readonly finding: string;
  readonly remedy?: readonly string[];
  /** What the failure is about, if not what the step is about. */
  readonly exit?: ExitClass;
}

/** One thing that is checked, and the exit code if it is the first to fail. */
export interface Step {
  readonly name: StepName;
  readonly exit: ExitClass;
  /** Steps that must not have failed before. */
  readonly needs: readonly StepName[];
  /** Whether there is anything to check. */
  readonly applies: (site: Site) => boolean;
  readonly check: (site: Site, evidence: Evidence) => Promise<Outcome>;
}

/** A step on the way to an analyzer and its logon. Who collects from license managers has none of them. */
export function stepToAnalyzer(
  step: Omit<Step, 'applies' | 'check'> & {
    readonly applies: (site: AnalyzerSite) => boolean;
    readonly check: (site: AnalyzerSite, evidence: Evidence) => Promise<Outcome>;
  },
): Step {
  return {
    ...step,
    applies: (site) => site.kind !== 'own' && step.applies(site),
    check: (site, evidence) => {
      if (site.kind === 'own') throw new Error('unreachable: the step does not apply');
      return step.check(site, evidence);
    },
  };
}

/** The result of a step, as `doctor --json` prints it. */
export interface StepResult {
  readonly step: StepName;
  readonly result: Result;
  readonly finding: string;
  readonly remedy: readonly string[];
  /** What a failure is about. */
  readonly exit: ExitClass;
}

/** The step is fine. @param finding what was seen */
export const good = (finding: string): Outcome => ({ result: 'ok', finding });
/** It works, but not as it should. @param finding what was seen */
export const warning = (finding: string, ...remedy: readonly string[]): Outcome => ({
  result: 'warning',
  finding,
  remedy,
});
/** The step failed. @param finding what was seen @param remedy one line each */
export const bad = (finding: string, ...remedy: readonly string[]): Outcome => ({ result: 'failed', finding, remedy });
/** What an error or an explanation says. */
export const explained = ({ finding, remedy }: { readonly finding: string; readonly remedy?: string }): Outcome =>
  bad(finding, ...(remedy === undefined ? [] : [remedy]));

/** The step that a step waits for in vain: the first one that failed, not one that was not checked because of it. */
function obstacle({ needs }: Step, results: ReadonlyMap<StepName, { readonly failed: StepName | undefined }>) {
  return needs.map((name) => results.get(name)?.failed).find((name) => name !== undefined);
}

/** A problem of this host, such as a file that cannot be read, is what a step has found. Anything else is a bug. */
async function run({ check }: Step, site: Site, evidence: Evidence): Promise<Outcome> {
  try {
    return await check(site, evidence);
  } catch (error) {
    const isSystemError = typeof (error as NodeJS.ErrnoException).syscall === 'string';
    if (error instanceof OperatorError || isSystemError) return bad((error as Error).message);
    throw error;
  }
}

/** Checks the steps in turn. */
export async function checkSteps(steps: readonly Step[], site: Site, evidence: Evidence): Promise<StepResult[]> {
  const known = new Map<StepName, { readonly failed: StepName | undefined }>();
  const results: StepResult[] = [];
  for (const step of steps) {
    const { name, exit, applies } = step;
    if (!applies(site)) continue;
    const failed = obstacle(step, known);
    const outcome: Outcome =
      failed === undefined
        ? await run(step, site, evidence)
        : { result: 'not checked', finding: `not checked, because ${failed} failed` };
    known.set(name, { failed: failed ?? (outcome.result === 'failed' ? name : undefined) });
    results.push({ step: name, exit, remedy: [], ...outcome });
  }
  return results;
}

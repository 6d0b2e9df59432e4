import { isComplete } from '../../base/model/observation/source.ts';
import { isMistake, type SourceProblem } from '../../base/model/observation/source-failure.ts';
import type { Config } from '../config/config.ts';
import { ConfigError, warningsOf } from '../config/problems.ts';
import { clockStep } from './clock-step.ts';
import { alertmanagersStep, mailStep, webhookStep } from './delivery-steps.ts';
import { endpointsStep } from './endpoints-step.ts';
import { httpStep } from './http-step.ts';
import { logonStep } from './logon-step.ts';
import { nameStep, tcpStep } from './network-steps.ts';
import { settingsStep } from './settings-step.ts';
import { bad, good, type Outcome, type Step, type StepName, type StepResult, warning } from './step.ts';
import { archiveStep, storageStep } from './storage-step.ts';
import { tlsStep } from './tls-step.ts';
import { webStep } from './web-step.ts';

const NAME: StepName = 'configuration';

const resultOf = (outcome: Outcome): StepResult => ({ step: NAME, exit: NAME, remedy: [], ...outcome });

function outcomeOf(config: Config, file: string | undefined): Outcome {
  const [first, ...others] = warningsOf(config);
  return first === undefined ? good(file ?? 'from flags and environment') : warning(first, ...others);
}

/**
 * Loads the configuration, with which the daemon would start. Every problem is reported: the first one is the finding, and the
 * others follow.
 *
 * @param file its name
 */
export function checkConfiguration(
  load: () => Config,
  file: string | undefined,
): { readonly config: Config | undefined; readonly result: StepResult } {
  try {
    const config = load();
    return { config, result: resultOf(outcomeOf(config, file)) };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const [first = '', ...others] = error.message.split('\n');
    return { config: undefined, result: resultOf(bad(first, ...others)) };
  }
}

/** The results of the steps that need a configuration, when it is not valid. */
export const withoutConfiguration = (
  others: readonly { readonly name: StepName; readonly exit: StepResult['exit'] }[],
) =>
  others.map(
    ({ name, exit }): StepResult => ({
      step: name,
      exit,
      result: 'not checked',
      finding: `not checked, because ${NAME} failed`,
      remedy: [],
    }),
  );

/** Whether each license manager can be read, and completely. */
const sourcesStep: Step = {
  name: 'sources',
  exit: 'sources',
  needs: [],
  applies: ({ kind }) => kind === 'own',
  check: async ({ sources }) => {
    // other minor problems can last although the configuration is right
    const isWrong = ({ kind, isFile }: SourceProblem): boolean => isFile === true && isMistake[kind];
    const wrong = sources.filter(({ up, problems }) => up !== true || problems.some(isWrong));
    const partly = sources.filter((source) => !isComplete(source));
    const count = `${sources.length - partly.length} of ${sources.length} were read completely`;
    const [first] = wrong;
    if (first !== undefined) {
      const problem = first.problems.find((one) => first.up !== true || isWrong(one));
      const why = problem === undefined ? 'it was not read' : `${problem.kind}: ${problem.message}`;
      const more = wrong.length === 1 ? [] : [`${wrong.length - 1} more failed; see the table below`];
      return bad(`${first.name}: ${why}`, ...more);
    }
    return partly.length === 0 ? good(count) : warning(count, 'see the table below');
  },
};

/** The steps after the configuration, in their order: each can only work if those before it do. */
export const steps: readonly Step[] = [
  nameStep,
  tcpStep,
  tlsStep,
  httpStep,
  logonStep,
  endpointsStep,
  settingsStep,
  clockStep,
  storageStep,
  archiveStep,
  webStep,
  alertmanagersStep,
  mailStep,
  webhookStep,
  sourcesStep,
];

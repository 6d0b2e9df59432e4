import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/problems.ts';
import { bad, good, type Outcome, type StepName, type StepResult, warning } from './step.ts';

const NAME: StepName = 'configuration';

const resultOf = (outcome: Outcome): StepResult => ({ step: NAME, exit: NAME, remedy: [], ...outcome });

function outcomeOf({ warnings }: Config, file: string | undefined): Outcome {
  const [first, ...others] = warnings;
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
  steps: readonly { readonly name: StepName; readonly exit: StepResult['exit'] }[],
) =>
  steps.map(
    ({ name, exit }): StepResult => ({
      step: name,
      exit,
      result: 'not checked',
      finding: `not checked, because ${NAME} failed`,
      remedy: [],
    }),
  );

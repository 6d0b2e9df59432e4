import {
  type Answers,
  defineManager,
  type ManagerDefinition,
  noOwnSettings,
  type Question,
  questions,
} from '../manager.ts';

const written = Object.fromEntries(Object.keys(questions).map((question) => [question, 'if written']));

/** Observation documents, see docs/json-source.md. */
export const json: ManagerDefinition = defineManager({
  how: '[JSON](json-source.md) of a script',
  triedOn: 'a format of our own',
  alsoCalled: 'none',
  answers: { ...(written as Record<Question, string>), people: 'none' } satisfies Answers,
  settings: noOwnSettings,
  needsVia: () => true,
  serversProblem: () => undefined,
  namesDaemons: () => true,
  code: async () => (await import('./code.ts')).jsonCode,
});

import {
  type Answers,
  defineManager,
  type ManagerDefinition,
  noOwnSettings,
  type Question,
  questions,
} from '../manager.ts';

const written = Object.fromEntries(Object.keys(questions).map((question) => [question, 'if it is written']));

/** Observation documents, see docs/json-source.md. */
export const json: ManagerDefinition = defineManager({
  how: 'a [documented format](json-source.md) that a script or another service writes',
  triedOn: 'a format of our own',
  alsoCalled: 'none',
  answers: { ...(written as Record<Question, string>), people: 'none' } satisfies Answers,
  settings: noOwnSettings,
  needsVia: () => true,
  serversProblem: () => undefined,
  namesDaemons: () => true,
  code: async () => (await import('./code.ts')).jsonCode,
});

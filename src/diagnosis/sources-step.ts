import { bad, good, type Step } from './step.ts';

/** Whether each license manager can be read, and completely. */
export const sourcesStep: Step = {
  name: 'sources',
  exit: 'sources',
  needs: [],
  applies: ({ kind }) => kind === 'own',
  check: async ({ sources }) => {
    const down = sources.filter(({ up }) => up !== true);
    const count = `${sources.length - down.length} of ${sources.length} were read completely`;
    const [first] = down;
    if (first === undefined) return good(count);
    const [problem] = first.problems;
    const why = problem === undefined ? 'it was not read' : `${problem.kind}: ${problem.message}`;
    return bad(
      `${first.name}: ${why}`,
      ...(down.length === 1 ? [] : [`${down.length - 1} more failed; see the table below`]),
    );
  },
};

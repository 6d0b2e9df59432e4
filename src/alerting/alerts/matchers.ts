import type { Labels } from './alert.ts';

/** A matcher in the syntax of Prometheus and Alertmanager. Regular expressions match the whole value. */
export interface Matcher {
  readonly label: string;
  readonly operator: '=' | '!=' | '=~' | '!~';
  readonly value: string;
}

/** Whether labels match all matchers of one of the groups. */
export function createIgnore(groups: readonly (readonly Matcher[])[]): (labels: Labels) => boolean {
  const compiled = groups.map((matchers) =>
    matchers.map(({ label, operator, value }) => {
      const expression = operator.endsWith('~') ? new RegExp(`^(?:${value})$`, 'su') : undefined;
      const isWanted = operator.startsWith('=');
      return (labels: Labels): boolean => {
        const actual = labels[label] ?? '';
        return (expression === undefined ? actual === value : expression.test(actual)) === isWanted;
      };
    }),
  );
  return (labels) => compiled.some((matchers) => matchers.every((matches) => matches(labels)));
}

/** The order in which everything that lists alerts has them: pages, mails, Grafana and the API. */

/** The most urgent first. */
const severities: readonly (string | undefined)[] = ['critical', 'warning', 'info'];

/** How urgent something is. */
export interface Urgency {
  readonly severity: string | undefined;
  /** The moment of harm: when it happens, or has happened, epoch seconds; `undefined` if it is not known. */
  readonly at: number | undefined;
}

const rankOf = ({ severity }: Urgency): number => (severities.indexOf(severity) + 4) % 4;

/** By severity, and then by the moment of harm: what ended or ends first stands first. What has no severity or moment comes last. */
export function byUrgency(a: Urgency, b: Urgency): number {
  const { at: first = Number.MAX_VALUE } = a;
  const { at: second = Number.MAX_VALUE } = b;
  return rankOf(a) - rankOf(b) || first - second;
}

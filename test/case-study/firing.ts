import { keyOf, type RoutedMessage } from '../support/routed-messages.ts';

/** An alert while it fires. Times are epoch seconds. */
export interface Firing {
  readonly labels: Readonly<Record<string, string>>;
  readonly from: number;
  readonly to: number;
}

/** What a program said in the time that was watched. */
export interface Watched {
  readonly firings: readonly Firing[];
  /** To any receiver. */
  readonly messages: readonly RoutedMessage[];
}

/** Seconds after its end in which a message about an alert can still be sent. */
const GROUPED = 360;

/** The alerts that a message is about: not those for information, and not those that follow from another one. */
export function reaching({ firings, messages }: Watched): Firing[] {
  const times = new Map<string, number[]>();
  for (const { at, firing } of messages) {
    for (const labels of firing) {
      const key = keyOf(labels);
      times.set(key, [...(times.get(key) ?? []), at]);
    }
  }
  return firings.filter(({ labels, from, to }) =>
    times.get(keyOf(labels))?.some((at) => from <= at && at <= to + GROUPED),
  );
}

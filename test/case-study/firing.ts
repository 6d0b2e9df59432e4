import { keyOf, type RoutedMessage } from '../support/routed-messages.ts';

/** An alert while it fires. Times are epoch seconds. */
export interface Firing {
  readonly labels: Readonly<Record<string, string>>;
  readonly from: number;
  readonly to: number;
}

/** What a program said in the time that was watched. */
export interface Watched {
  /** Those of the same labels in the order of time. */
  readonly firings: readonly Firing[];
  /** To any receiver. */
  readonly messages: readonly RoutedMessage[];
}

/** Seconds after its end in which a message can still say that an alert fires. */
const GROUPED = 360;

/** The alerts that a message is about: not those for information, and not those that follow from another one. */
export function reaching({ firings, messages }: Watched): Firing[] {
  const byKey = Map.groupBy(firings, ({ labels }) => keyOf(labels));
  const named = new Set<Firing>();
  for (const { at, firing, resolved } of messages) {
    for (const labels of firing) {
      const one = byKey.get(keyOf(labels))?.findLast(({ from }) => from <= at);
      if (one !== undefined && at <= one.to + GROUPED) named.add(one);
    }
    // an alert that has ended twice since the last message stands in this one twice
    for (const [key, { length }] of Map.groupBy(resolved, keyOf)) {
      const ended = byKey.get(key)?.filter(({ to }) => to <= at) ?? [];
      for (const one of ended.slice(-length)) named.add(one);
    }
  }
  return firings.filter((one) => named.has(one));
}

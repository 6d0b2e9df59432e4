import type { Inventory } from '../inventory/inventory.ts';
import type { Finding, Labels } from './alert.ts';
import type { Durations, EngineRuleName } from './rule-settings.ts';

export type Severity = 'critical' | 'warning';

/** What rules look at: the newest data, and the state of the logon. */
export interface View {
  /** Epoch seconds. */
  readonly now: number;
  readonly inventory: Inventory;
  /** Whether the last verdict on a logon was good; `undefined` before the first. */
  readonly authenticated: boolean | undefined;
}

/** What a rule makes of a view. */
export interface Judgement {
  readonly findings: readonly Finding[];
  /** Of an alert without finding: whether that may only be for lack of data. */
  isUnknown(labels: Labels): boolean;
  /** Whether there is no data at all to judge by. */
  readonly isBlind: boolean;
}

/** A pure function of the view, with a name. */
export interface Rule {
  /** Name and severity: two rules may share a name. */
  readonly id: string;
  readonly name: EngineRuleName;
  readonly severity: Severity;
  /** What is set for everything that has no exception. */
  readonly parameters: Durations;
  durations(labels: Labels): Durations;
  judge(view: View): Judgement;
}

/** `2d 3h`, `45m`, `30s`: the two largest units. Takes seconds. */
export function humanDuration(seconds: number): string {
  const units: readonly (readonly [string, number])[] = [
    ['d', 86_400],
    ['h', 3600],
    ['m', 60],
    ['s', 1],
  ];
  let rest = Math.max(0, Math.floor(seconds));
  const first = units.findIndex(([, size]) => rest >= size);
  if (first === -1) return '0s';
  const parts = units.slice(first, first + 2).map(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest %= size;
    return count === 0 ? '' : `${count}${unit}`;
  });
  return parts.filter((part) => part !== '').join(' ');
}

import { type Labels, withoutEmpty } from '../../../../src/alerting/alerts/alert.ts';
import { identityLabels, scopeLabels } from '../../../../src/base/model/alert-labels.ts';

/** Alerts as texts, and when they fire. */

/** The ticks in which alerts fire, by their text. */
export type Firing = ReadonlyMap<string, ReadonlySet<number>>;

const addressLabels = ['owner', 'team', ...scopeLabels] as const;

const textOfNames = (labels: Labels, names: readonly string[]): string =>
  names
    .flatMap((name) => (labels[name] === undefined || labels[name] === '' ? [] : `${name}=${labels[name]}`))
    .join('|');

/** An alert with everything that makes it another one for Alertmanager, except who sends it. */
export const textOf = (labels: Labels): string => {
  const { source: _, ...rest } = labels;
  const others = Object.keys(rest).filter((name) => ![...identityLabels, ...addressLabels].includes(name as never));
  return textOfNames(labels, [...identityLabels, ...addressLabels, ...others.sort()]);
};

/** What tells features of one name apart. The sites of histories have none. */
const ofFeature: ReadonlySet<string> = new Set(['version', 'package', 'feature_type']);

/** What an alert is about, without who acts on it. The alert of a feature is told by the team of the feature. */
export const subjectOf = ({ team, feature = team ?? '', ...labels }: Labels): string =>
  textOfNames(
    { ...labels, feature },
    identityLabels.filter((name) => !ofFeature.has(name)),
  );

/** The labels of a text. */
export const labelsOf = (text: string): Labels =>
  withoutEmpty(Object.fromEntries(text.split('|').map((pair) => pair.split(/=(.*)/s).slice(0, 2))));

/** The ticks of alerts that are recorded one by one. */
export class FiringTicks {
  readonly #ticks = new Map<string, Set<number>>();

  add(text: string, tick: number): void {
    const ticks = this.#ticks.get(text) ?? new Set<number>();
    ticks.add(tick);
    this.#ticks.set(text, ticks);
  }

  get all(): Firing {
    return this.#ticks;
  }
}

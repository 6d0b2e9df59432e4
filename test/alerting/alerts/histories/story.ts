import { type Firing, labelsOf, subjectOf } from './firing.ts';
import type { Episode, History } from './history.ts';
import type { Observed } from './observe.ts';
import type { Fault } from './oracle.ts';

/** A history as text, for the message of a failure. */

const timesOf = ({ from, to, period, on }: Episode): string =>
  `${from}-${to}${on < period ? ` (${on} of every ${period})` : ''}`;

/** A value, or what an index refers to. */
function partText({ vendorLicenses, features, replicas, sources }: History, name: string, value: unknown): string {
  const lists: Readonly<Record<string, readonly unknown[]>> = {
    vendorLicense: vendorLicenses,
    feature: features.map(({ feature, version }) => `${feature} ${version}`),
    replica: replicas.map(({ instance }) => instance),
    source: sources.map((source) => source.name),
  };
  const list = lists[name];
  return list === undefined ? `${name}=${String(value)}` : String(list[Number(value)]);
}

function textOf(history: History, episode: Episode): string {
  const { is, from: _from, to: _to, period: _period, on: _on, ...rest } = episode;
  const values = Object.entries(rest).map(([name, value]) => partText(history, name, value));
  return `  ${timesOf(episode)}: ${is} ${values.join(', ')}`;
}

/** What a site goes through. */
function storyOf(history: History): string {
  const { vendorLicenses, features, replicas, polling, sources, episodes } = history;
  return [
    `seed ${history.seed}, polling ${JSON.stringify(polling)}`,
    ...replicas.map((each) => `  replica ${JSON.stringify(each)}`),
    ...sources.map(({ name, vendorLicenses: owned, members }) => `  ${name} of ${owned.join()}, ${members} servers`),
    ...features.map(
      ({ vendorLicense, feature, version, package: pkg, featureType, expiration, maxAvailable, inUse, queued }) =>
        `  ${vendorLicenses[vendorLicense]} ${feature} ${version} ${pkg} ${featureType}: ${inUse} of ${maxAvailable}, queued ${queued}, expires ${expiration}`,
    ),
    ...episodes.toSorted((a, b) => a.from - b.from).map((episode) => textOf(history, episode)),
  ].join('\n');
}

const SIGNS = { raised: 'R', 'not cleared': 'c', false: '.', unknown: '?', open: 'o' } as const;

/** A line of one sign for each tick. */
const lineOf = ({ ticks }: History, signAt: (tick: number) => string): string =>
  Array.from({ length: ticks }, (_, tick) => signAt(tick)).join('');

/** A fault with the history behind it. */
export function describeFault({ kind, by, alert, tick, history }: Fault, observed: Observed): string {
  const subject = subjectOf(labelsOf(alert));
  const bars = (firing: Firing): string => lineOf(history, (at) => (firing.get(alert)?.has(at) === true ? '#' : '.'));
  const lines = history.replicas.flatMap(({ instance }, replica) => {
    const of = (at: number) => observed.witnesses[at]?.find((each) => each.replica === replica);
    const saidBy = (at: number): string => ({ 1: '#', 0: '0', [-1]: '-' })[String(of(at)?.said.get(alert))] ?? '.';
    const whole = (at: number): string => (of(at)?.complete.has(labelsOf(alert).alertname ?? '') === true ? '#' : '.');
    return [
      `  ${instance} finds    ${lineOf(history, (at) => SIGNS[of(at)?.conditions.get(subject) ?? 'false'] ?? ' ')}`,
      `  ${instance} says     ${lineOf(history, saidBy)}`,
      `  ${instance} complete ${lineOf(history, whole)}`,
      `  ${instance} process  ${lineOf(history, (at) => (of(at) === undefined ? ' ' : (of(at)?.begins?.[0] ?? (of(at)?.isScraped === true ? '.' : 'x'))))}`,
    ];
  });
  return [
    `${alert}: ${kind} by ${by} at tick ${tick}`,
    `  Prometheus   ${bars(observed.prometheus)}`,
    `  Alertmanager ${bars(observed.alertmanager)}`,
    ...lines,
    storyOf(history),
  ].join('\n');
}

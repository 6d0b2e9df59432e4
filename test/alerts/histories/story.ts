import type { Difference } from './compare.ts';
import type { Condition } from './engine-run.ts';
import { type Episode, type History, MINUTES } from './history.ts';

/** A history as text, for the message of a failure. */

const timesOf = ({ from, to, period, on }: Episode): string =>
  `${from}-${to === MINUTES ? 'end' : to}${on < period ? ` (${on} of every ${period})` : ''}`;

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

const bars = (minutes: Uint8Array): string => Array.from(minutes, (fires) => (fires === 1 ? '#' : '.')).join('');

const signs: Readonly<Record<Condition, string>> = {
  raised: 'R',
  'not cleared': 'c',
  false: '.',
  unknown: '?',
  absent: ' ',
};

/** What a site goes through. */
function storyOf(history: History): string {
  const { vendorLicenses, features, replicas, polling, sources, episodes } = history;
  return [
    `seed ${history.seed}, polling ${JSON.stringify(polling)}`,
    ...replicas.map(({ instance, from, to, slow }) => `  replica ${instance} ${from}-${to}, slow ${slow}`),
    ...sources.map(({ name, vendorLicenses: owned, members }) => `  ${name} of ${owned.join()}, ${members} servers`),
    ...features.map(
      ({ vendorLicense, feature, version, package: pkg, featureType, expiration, maxAvailable, inUse, queued }) =>
        `  ${vendorLicenses[vendorLicense]} ${feature} ${version} ${pkg} ${featureType}: ${inUse} of ${maxAvailable}, queued ${queued}, expires ${expiration}`,
    ),
    ...episodes.toSorted((a, b) => a.from - b.from).map((episode) => textOf(history, episode)),
  ].join('\n');
}

/** A difference with the history behind it. */
export const describeDifference = ({
  history,
  alert,
  engine,
  prometheus,
  conditions,
  begins,
  from,
  to,
  only,
}: Difference): string =>
  [
    `${alert}: only by ${only} in minutes ${from} to ${to - 1}`,
    `  engine     ${bars(engine)}`,
    `  Prometheus ${bars(prometheus)}`,
    `  condition  ${conditions.map((condition) => signs[condition]).join('')}`,
    `  process    ${begins.map((isNew) => (isNew ? '|' : '.')).join('')}`,
    storyOf(history),
  ].join('\n');

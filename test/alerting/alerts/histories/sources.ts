import type { SourceHealth } from '../../../../src/base/model/observation/source.ts';
import { activeEpisodes, type History, type SiteSource } from './history.ts';

/** Ticks between two collections. */
const INTERVAL = 2;

const MANAGER = 'flexnet';

const unread = ({ name }: SiteSource): SourceHealth => ({
  name,
  manager: MANAGER,
  up: undefined,
  isServerDown: undefined,
  failedReadings: undefined,
  problems: [],
  lastReadAt: undefined,
  lastSuccessAt: undefined,
  duration: undefined,
  lastDiagnostics: undefined,
  contradictions: 0,
  runs: new Map(),
  members: [],
  vendorLicenses: [],
});

const membersOf = ({ members }: SiteSource, up: (index: number) => boolean | undefined): SourceHealth['members'] =>
  Array.from({ length: members }, (_, index) => ({
    server: `27000@lic${index}`,
    up: up(index),
    isMaster: index === 0,
  }));

/**
 * The sources of an embedded analyzer that runs in the process of a replica.
 *
 * @param startedAt tick of its start
 * @returns collects those that are due, and returns the state of all
 */
export function createSources(history: History, startedAt: number): (tick: number) => readonly SourceHealth[] {
  const { sources, vendorLicenses: names } = history;
  let healths: readonly SourceHealth[] = sources.map(unread);
  const collect = (health: SourceHealth, index: number, tick: number): SourceHealth => {
    const source = sources[index] as SiteSource;
    const concerns = (is: 'source fails' | 'member down'): boolean =>
      activeEpisodes(history, is, tick).some((episode) => episode.source === index);
    const known = source.vendorLicenses.map((at) => names[at] ?? '');
    if (concerns('source fails')) {
      const failedReadings = (health.failedReadings ?? 0) + 1;
      return { ...health, up: false, failedReadings, members: membersOf(source, () => undefined) };
    }
    const isComplete = (member: number): boolean => member > 0 || source.members === 1 || !concerns('member down');
    return { ...health, up: true, failedReadings: 0, members: membersOf(source, isComplete), vendorLicenses: known };
  };
  return (tick) => {
    const isDue = tick > startedAt && (tick % INTERVAL === 0 || tick === startedAt + 1);
    if (isDue) healths = healths.map((health, index) => collect(health, index, tick));
    return healths;
  };
}

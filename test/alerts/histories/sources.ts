import type { SourceHealth } from '../../../src/observation/source.ts';
import { activeEpisodes, type History, type SiteSource } from './history.ts';

/** Minutes between two collections. */
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
 * @param startedAt minute of its start
 * @returns collects those that are due, and returns the state of all
 */
export function createSources(history: History, startedAt: number): (minute: number) => readonly SourceHealth[] {
  const { sources, vendorLicenses: names } = history;
  let healths: readonly SourceHealth[] = sources.map(unread);
  const collect = (health: SourceHealth, index: number, minute: number): SourceHealth => {
    const source = sources[index] as SiteSource;
    const concerns = (is: 'source fails' | 'member down'): boolean =>
      activeEpisodes(history, is, minute).some((episode) => episode.source === index);
    const known = source.vendorLicenses.map((at) => names[at] ?? '');
    if (concerns('source fails')) {
      const failedReadings = (health.failedReadings ?? 0) + 1;
      return { ...health, up: false, failedReadings, members: membersOf(source, () => undefined) };
    }
    const isComplete = (member: number): boolean => member > 0 || source.members === 1 || !concerns('member down');
    return { ...health, up: true, failedReadings: 0, members: membersOf(source, isComplete), vendorLicenses: known };
  };
  return (minute) => {
    const isDue = minute > startedAt && (minute % INTERVAL === 0 || minute === startedAt + 1);
    if (isDue) healths = healths.map((health, index) => collect(health, index, minute));
    return healths;
  };
}

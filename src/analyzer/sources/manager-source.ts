import { createHash, createHmac } from 'node:crypto';
import { setImmediate as pause } from 'node:timers/promises';
import type { Log } from '../../base/model/log.ts';
import {
  type PoolObservation,
  type VendorLicenseObservation,
  vendorLicenseName,
} from '../../base/model/observation/observation.ts';
import type { Source, SourceHealth } from '../../base/model/observation/source.ts';
import { SourceFailure, type SourceProblem, saysServerIsDown } from '../../base/model/observation/source-failure.ts';
import type { ManagerReader } from './manager.ts';
import type { Parsed } from './parsed.ts';
import type { SourceSettings, UserSettings } from './source-settings.ts';
import { selectFeatures } from './source-settings.ts';

/** Characters of a pseudonym. */
const LENGTH = 10;

/** In upper or lower case, a name has the same pseudonym: users are counted without case. */
const pseudonymOf = (name: string, key: string): string =>
  createHmac('sha256', key).update(name.toLowerCase()).digest('hex').slice(0, LENGTH);

/** Who reserved licenses are for: a user or a group. Nothing is computed from it. */
const withoutHolders = ({ reservations }: PoolObservation): Pick<PoolObservation, 'reservations'> => ({
  reservations: reservations?.map((one) => ({ ...one, holder: '' })),
});

function withPseudonyms(pool: PoolObservation, key: string): PoolObservation {
  const hide = <T extends { readonly user: string; readonly host: string }>(entry: T): T => ({
    ...entry,
    user: `u-${pseudonymOf(entry.user, key)}`,
    host: `h-${pseudonymOf(entry.host, key)}`,
  });
  return {
    ...pool,
    ...withoutHolders(pool),
    checkouts: pool.checkouts.map((checkout) => ({ ...hide(checkout), display: '' })),
    queued: pool.queued?.map(hide),
  };
}

/** The number of licenses stays. How many users there are is not known then. */
function withoutUsers(pool: PoolObservation): PoolObservation {
  const { inUse, checkouts, queued, unknownOfCheckouts: unknown = [] } = pool;
  const listed = unknown.includes('list') ? undefined : checkouts.reduce((sum, { licenses }) => sum + licenses, 0);
  const counted = inUse ?? listed;
  return {
    ...pool,
    ...withoutHolders(pool),
    ...(counted !== undefined && { inUse: counted }),
    checkouts: [],
    unknownOfCheckouts: ['list', 'borrowed', 'status'],
    queued: queued?.map(({ licenses }) => ({ user: '', host: '', licenses })),
  };
}

/** Checkouts between two pauses for other work. */
const BATCH = 200;

/** Applies `users.names`. Names of hosts, displays and those whom licenses are reserved for are personal too. */
async function hideUsers(
  observations: readonly VendorLicenseObservation[],
  names: UserSettings['names'],
  key: string,
): Promise<readonly VendorLicenseObservation[]> {
  if (names === 'keep') return observations;
  const hidden: VendorLicenseObservation[] = [];
  let checkouts = 0;
  for (const observation of observations) {
    const pools: PoolObservation[] = [];
    for (const pool of observation.pools) {
      pools.push(names === 'drop' ? withoutUsers(pool) : withPseudonyms(pool, key));
      checkouts += pool.checkouts.length;
      if (checkouts < BATCH) continue;
      checkouts = 0;
      await pause();
    }
    hidden.push({ ...observation, pools });
  }
  return hidden;
}

/** The reader of a manager, its clock and its log. */
export interface ManagerSourceDeps {
  readonly reader: ManagerReader;
  /** Epoch seconds. */
  readonly now: () => number;
  /** Key of the pseudonyms of users. */
  readonly pseudonymKey: string;
  readonly log: Log;
}

/** A source that reads a license manager, with what health pages show of it. */
export interface ManagerSource extends Source {
  readonly settings: SourceSettings;
  health(): SourceHealth;
  close(): Promise<void>;
}

type Identity = Pick<VendorLicenseObservation, 'server' | 'daemon' | 'part'>;

/** What is logged once for as long as it lasts. Ages and numbers of things change while the problem is the same. */
const keyOf = (problems: readonly SourceProblem[]): string =>
  problems.map(({ kind, message }) => `${kind} ${message.replace(CHANGING, '')}`).join('\n');

const CHANGING = /\b\d+(?= (?:s|minutes|features|lines|licenses)\b)/g;

const MILLISECONDS = 1000;
const rounded = (seconds: number): number => Math.round(seconds * MILLISECONDS) / MILLISECONDS;

/**
 * A license manager as a source of the analyzer. A failed reading is no exception here: the vendor licenses that are known
 * are reported as unreachable, and the health says why.
 */
export function createManagerSource(settings: SourceSettings, deps: ManagerSourceDeps): ManagerSource {
  const { name, manager } = settings;
  const { reader, now, log } = deps;
  const runs = new Map<string, number>() as Map<'ok', number>;
  let identities: readonly Identity[] = configuredIdentities(settings);
  let health: SourceHealth = {
    name,
    manager,
    up: undefined,
    isServerDown: undefined,
    failedReadings: undefined,
    problems: [],
    lastReadAt: undefined,
    lastSuccessAt: undefined,
    duration: undefined,
    lastDiagnostics: undefined,
    contradictions: 0,
    runs,
    members: [],
    vendorLicenses: [],
  };

  const count = (result: string): void => {
    runs.set(result as 'ok', (runs.get(result as 'ok') ?? 0) + 1);
  };

  const report = (problems: readonly SourceProblem[]): void => {
    if (keyOf(problems) === keyOf(health.problems)) return;
    for (const { kind, message } of problems) log.warn({ source: name, kind, reason: message }, 'source has a problem');
    if (problems.length === 0) log.info({ source: name }, 'source is read again without problems');
  };

  const finish = (begun: number, problems: readonly SourceProblem[], more: Partial<SourceHealth>): void => {
    const serious = problems.filter(({ isMinor }) => !isMinor);
    count(serious[0]?.kind ?? 'ok');
    report(problems);
    const at = now();
    const up = serious.length === 0;
    const isServerDown = up ? false : serious.some(({ kind }) => saysServerIsDown[kind]) || undefined;
    const failedReadings = up ? 0 : (health.failedReadings ?? 0) + 1;
    health = {
      ...health,
      problems,
      up,
      isServerDown,
      failedReadings,
      lastReadAt: at,
      duration: rounded(at - begun),
      ...more,
    };
  };

  /** All that are known. Capacity and expiry can be known without the server. */
  const unreachableOnes = (): readonly VendorLicenseObservation[] => {
    const supplied = new Map(reader.withoutServer?.().map((one) => [vendorLicenseName(one), one]));
    const known = new Map([...identities, ...supplied.values()].map((one) => [vendorLicenseName(one), one]));
    return [...known].map(([key, { server, daemon, part }]) => {
      const pools = supplied.get(key)?.pools ?? [];
      return { server, daemon, part, reachable: false, pools };
    });
  };

  const take = (begun: number, parsed: Parsed): void => {
    const { vendorLicenses, problems, members, diagnostics } = parsed;
    identities = vendorLicenses;
    const isRead = vendorLicenses.some(({ reachable, isDownThere }) => reachable || isDownThere === true);
    finish(begun, problems, {
      ...(isRead && { lastSuccessAt: now() }),
      members,
      lastDiagnostics: diagnostics,
      contradictions: health.contradictions + diagnostics.contradictions,
      vendorLicenses: vendorLicenses.map(vendorLicenseName),
    });
  };

  return {
    name,
    interval: settings.interval,
    offset: offsetOf(settings),
    settings,
    health: () => health,
    restore: (known) => {
      if (known.length > 0) identities = known.map(({ observation }) => observation);
      health = { ...health, vendorLicenses: identities.map(vendorLicenseName) };
      reader.restore?.(known);
    },
    move: (by) => {
      const { lastReadAt, lastSuccessAt } = health;
      const later = (at: number | undefined): number | undefined => (at === undefined ? undefined : at + by);
      health = { ...health, lastReadAt: later(lastReadAt), lastSuccessAt: later(lastSuccessAt) };
    },
    skip: () => count('skipped'),
    read: async (signal) => {
      const begun = now();
      try {
        const parsed = await reader.read(signal);
        take(begun, parsed);
        const selected = parsed.vendorLicenses.map((one) => selectFeatures(one, settings.features));
        return await hideUsers(selected, settings.users.names, deps.pseudonymKey);
      } catch (error) {
        if (!(error instanceof SourceFailure) || signal.aborted) throw error;
        const observations = unreachableOnes();
        finish(begun, [{ kind: error.kind, message: error.message }], {
          members: error.members ?? health.members.map(({ server }) => ({ server, up: undefined, isMaster: false })),
          vendorLicenses: observations.map(vendorLicenseName),
        });
        return observations;
      }
    },
    close: () => reader.close(),
  };
}

/** Sources of one interval are spread over it, and each keeps its place over restarts. */
function offsetOf({ name, interval }: SourceSettings): number {
  const hash = createHash('sha256').update(name).digest().readUInt32BE();
  return Math.floor((hash / 2 ** 32) * interval);
}

/** The vendor licenses that are configured, before the server was ever reached. */
const configuredIdentities = ({ servers, daemons, part }: SourceSettings): readonly Identity[] => {
  const [server] = servers;
  return server === undefined ? [] : daemons.map((daemon) => ({ server, daemon, part }));
};

import type { PoolObservation, VendorLicenseObservation } from '../../src/base/model/observation/observation.ts';
import { type Company, type Feature, type Incident, type Server, wantedAt } from './company.ts';

/** What license managers say of the company at a time: the same for each program that asks them. */

const DAY = 86_400;
const YEAR = 365 * DAY;
/** After the end of the old licenses, when they are removed from the license file. */
export const CLEANED_AFTER = 20 * DAY;
export const DAEMON = 'cadd';

/** A line of the license file. */
export interface Line {
  readonly version: string;
  readonly ends: number;
}

/** The lines of each feature of a server. */
export function linesAt({ contract: { ends, renewed, as } }: Server, at: number): readonly Line[] {
  const old = { version: '1.0', ends };
  if (at < renewed) return [old];
  if (as === 'replaced') return [{ version: '1.0', ends: ends + YEAR }];
  const next = { version: '2.0', ends: ends + YEAR };
  return at < ends + CLEANED_AFTER ? [old, next] : [next];
}

/** What is wrong at a time. */
export const incidentsAt = ({ incidents }: Company, at: number): readonly Incident[] =>
  incidents.filter(({ from, to }) => from <= at && at < to);

export const isServing = (lines: readonly Line[], at: number): boolean => lines.some(({ ends }) => at <= ends);

/** The licenses that are in use, if the server serves any. */
export const inUseAt = (feature: Feature, at: number): number => Math.min(feature.bought, wantedAt(feature, at));

function poolsOf(feature: Feature, lines: readonly Line[], at: number, refused: number): PoolObservation[] {
  // the old licenses are used as long as they are valid
  const used = lines.find(({ ends }) => at <= ends);
  return lines.map((line): PoolObservation => {
    const inUse = line === used ? inUseAt(feature, at) : 0;
    const denials = line === used ? refused : 0;
    const checkout = {
      ...{ user: 'user001', host: 'ws001', display: '', since: at - 600, licenses: inUse },
      ...{ shareHandle: undefined, borrowed: false, status: undefined },
    };
    return {
      feature: feature.name,
      version: line.version,
      package: '',
      featureType: 'feature',
      licenseType: 'floating',
      licenseModel: 'concurrent',
      increments: [{ count: feature.bought, expires: line.ends }],
      reservations: [],
      checkouts: inUse > 0 ? [checkout] : [],
      queued: [],
      denials,
      denialCauses: { all_in_use: denials },
    };
  });
}

/**
 * What one server says.
 *
 * @param since the time of the answer before: refused requests are those of the hours that began after it
 */
export function observe(company: Company, number: number, at: number, since: number): VendorLicenseObservation {
  const server = company.servers[number] as Server;
  const lines = linesAt(server, at);
  const isNewHour = Math.floor(since / 3600) < Math.floor(at / 3600);
  const features = company.features.filter((feature) => feature.server === number);
  return {
    server: server.name,
    daemon: DAEMON,
    part: '',
    reachable: true,
    pools: features.flatMap((feature) => {
      const refused = isNewHour ? Math.max(0, wantedAt(feature, at) - feature.bought) : 0;
      return poolsOf(feature, lines, at, refused);
    }),
  };
}

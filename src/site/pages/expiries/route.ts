import { calendarParts, expiryEvents } from '../../../alerting/expiries/calendar.ts';
import {
  type Expiry,
  type ExpirySelection,
  type KnownExpiries,
  readExpiries,
} from '../../../alerting/expiries/expiry.ts';
import { ExpiriesUnknown, type UnknownExpiry } from '../../../alerting/expiries/unknown-expiry.ts';
import { csvParts } from '../../../base/model/csv-text.ts';
import { expiryDay } from '../../../base/model/expiry-day.ts';
import type { OwnerMapping } from '../../../base/model/owners.ts';
import { isKnown } from '../../../base/model/unknown.ts';
import { slicedBody } from '../../../base/scheduling/sliced-body.ts';
import type { Backend } from '../../grafana/answers/backend.ts';
import { sendText } from '../../web/page-answers.ts';
import type { PageContext } from '../page.ts';
import { BadParameter, integerOf, namedParameters, ownersOf } from '../parameters.ts';
import type { Routes } from '../routes.ts';

/** What expires when, for spreadsheets and calendar programs. */

interface ExpiryRequest {
  /** See `ownersOf`. */
  readonly owner: readonly string[];
  /** Days from now until the last expiry; `undefined` without a limit. */
  readonly days: number | undefined;
}

const MAX_DAYS = 99_999;

/** @throws BadParameter */
function readExpiryRequest(query: unknown, owners: OwnerMapping): ExpiryRequest {
  const { owner, days } = namedParameters(query, ['owner', 'days']);
  return { owner: ownersOf(owner, owners), days: integerOf('days', days, MAX_DAYS) };
}

const DAY = 86_400;
/** How long a calendar keeps what has expired, seconds: an event that is just over must not vanish. */
const KEPT = 30 * DAY;

interface Asked extends ExpiryRequest {
  readonly backend: Backend;
  /** URL of the daemon for people. */
  readonly url: string;
  readonly owners: OwnerMapping;
  /** Epoch seconds. */
  readonly now: number;
}

/** An answer: its media type, the name of its file, and its text. */
interface Format {
  readonly type: string;
  readonly file: string;
  /** When the first expiry of an answer can be, epoch seconds. */
  readonly from: (asked: Asked) => number;
  readonly parts: (known: KnownExpiries, asked: Asked) => Iterable<string>;
}

interface ExpiryRowsOptions {
  readonly owners: OwnerMapping;
  /** Epoch seconds. */
  readonly now: number;
  /** The IANA name of the zone of the analyzer. */
  readonly timeZone: string;
}

type Row = readonly (string | number | null)[];

interface ExpiryRows {
  readonly columns: readonly string[];
  /** What is not known is first, with a note: at the end of a long table, nobody sees it. A row is made when it is read. */
  readonly rows: Iterable<Row>;
}

const daysLeft = (expiration: number, now: number): number => Math.round(((expiration - now) / DAY) * 100) / 100;

/** The rows by date. */
export function expiryRows({ expiries, unknown }: KnownExpiries, options: ExpiryRowsOptions): ExpiryRows {
  const { owners, now, timeZone } = options;
  const ownerCells = (vendorLicense: string, feature?: string): Row => {
    const labels = owners.of(vendorLicense, feature);
    return owners.names.map((name) => labels[name] ?? null);
  };
  const unknownRow = ({ vendorLicense, reason }: UnknownExpiry): Row => {
    const note = `expiries are not all known: ${reason}`;
    return [vendorLicense, null, null, null, null, null, null, null, ...ownerCells(vendorLicense), note];
  };
  const expiryRow = (expiry: Expiry): Row => {
    const { vendorLicense, feature, version, package: pkg, featureType, licenses, expiration } = expiry;
    const dates = [expiryDay(expiration, timeZone) ?? null, daysLeft(expiration, now)];
    const owner = ownerCells(vendorLicense, feature);
    const count = licenses === 'uncounted' || isKnown(licenses) ? licenses : null;
    return [vendorLicense, feature, version, pkg, featureType, count, ...dates, ...owner, null];
  };
  return {
    columns: [
      ...['vendor_license', 'feature', 'version', 'package', 'feature_type', 'licenses', 'expires', 'days_left'],
      ...owners.names,
      'note',
    ],
    rows: [...unknown, ...expiries].values().map((item) => ('reason' in item ? unknownRow(item) : expiryRow(item))),
  };
}

const csv: Format = {
  type: 'text/csv; charset=utf-8',
  file: 'expirations.csv',
  from: ({ days, now }) => (days === undefined ? Number.NEGATIVE_INFINITY : now),
  parts: (known, { backend, owners, now }) => {
    const { columns, rows } = expiryRows(known, { owners, now, timeZone: backend.localTime.timeZone });
    return csvParts(columns, rows);
  },
};

const ics: Format = {
  type: 'text/calendar; charset=utf-8',
  file: 'expirations.ics',
  from: ({ now }) => now - KEPT,
  parts: ({ expiries, unknown }, { backend, url, owner: asked, now }) =>
    calendarParts(expiryEvents(expiries, backend.localTime.timeZone), {
      name: ['License expiries', ...asked.map((owner) => owner || 'without an owner')].join(', '),
      now,
      timeZone: backend.localTime.timeZone,
      url,
      unknown,
    }),
};

/** @throws ExpiriesUnknown if nothing is known */
async function read(asked: Asked, from: number): Promise<KnownExpiries> {
  const { backend, owners, owner, days, now } = asked;
  const selection: ExpirySelection = {
    owners,
    isOwnerAsked: (name) => owner.length === 0 || owner.includes(name ?? ''),
    from,
    to: days === undefined ? Number.POSITIVE_INFINITY : now + days * DAY,
  };
  const inventory = backend.inventory();
  if (inventory === undefined) throw new ExpiriesUnknown('the analyzer has not been polled yet');
  return readExpiries(inventory, selection);
}

const routesOfFormat = ({ type, file, from, parts }: Format, { backend: of, url }: PageContext): Routes => ({
  '/': async (request, reply) => {
    const backend = of(request);
    const owners = backend.owners();
    try {
      const parameters = readExpiryRequest(request.query, owners);
      const asked = { backend, url: url(), owners, now: backend.now(), ...parameters };
      const body = await slicedBody(parts(await read(asked, from(asked)), asked));
      return await reply
        .header('content-type', type)
        .header('content-disposition', `attachment; filename="${file}"`)
        .header('cache-control', 'no-store')
        .send(body);
    } catch (error) {
      if (error instanceof BadParameter) return sendText(reply, 400, error.message);
      if (error instanceof ExpiriesUnknown) return sendText(reply, 503, `Expiries are not known: ${error.message}`);
      throw error;
    }
  },
});

/** What expires when, for spreadsheets. */
export const csvRoutes = (context: PageContext): Routes => routesOfFormat(csv, context);

/** The same for calendar programs. */
export const icsRoutes = (context: PageContext): Routes => routesOfFormat(ics, context);

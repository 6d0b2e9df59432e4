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
import type { Routes } from '../routes.ts';

/** The parameters of a request for expiries. */

interface ExpiryRequest {
  /** Owners that are asked for, empty for all of them. The empty text stands for features without an owner. */
  readonly owner: readonly string[];
  /** Days from now until the last expiry; `undefined` without a limit. */
  readonly days: number | undefined;
}

/** A parameter that cannot be used. The message names it and its valid values. */
class BadParameter extends Error {
  override readonly name = 'BadParameter';
}

const names = ['owner', 'days'];

const show = (value: unknown): string => JSON.stringify(value).slice(0, 80);

function daysOf(raw: unknown): number | undefined {
  if (raw === undefined) return undefined;
  if (typeof raw !== 'string' || !/^\d{1,5}$/.test(raw)) {
    throw new BadParameter(`days is ${show(raw)}, not an integer from 0 to 99999`);
  }
  return Number(raw);
}

function ownersOf(raw: unknown, { entries }: OwnerMapping): readonly string[] {
  const asked = raw === undefined ? [] : ([raw].flat() as string[]);
  const known = new Set(['', ...entries.map(({ labels }) => labels.owner ?? '')]);
  const other = asked.find((owner) => !known.has(owner));
  // an empty answer would say that nothing of this owner expires
  if (other !== undefined) {
    throw new BadParameter(`owner is ${show(other)}, which no entry of owners or owners_file names`);
  }
  return asked;
}

/** @throws BadParameter */
function readExpiryRequest(parameters: object, owners: OwnerMapping): ExpiryRequest {
  const unnamed = Object.keys(parameters).find((name) => !names.includes(name));
  if (unnamed !== undefined) {
    throw new BadParameter(`there is no parameter ${show(unnamed)}; valid are ${names.join(' and ')}`);
  }
  const { owner, days } = parameters as Readonly<Record<string, unknown>>;
  return { owner: ownersOf(owner, owners), days: daysOf(days) };
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
      const parameters = readExpiryRequest(request.query as object, owners);
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

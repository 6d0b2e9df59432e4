import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { calendarParts } from '../../expiries/calendar.ts';
import { type ExpirySelection, type KnownExpiries, readExpiries } from '../../expiries/expiry.ts';
import { expiryRows } from '../../expiries/expiry-rows.ts';
import { ExpiriesUnknown } from '../../expiries/unknown-expiry.ts';
import type { Inventory } from '../../inventory/inventory.ts';
import { csvParts } from '../../model/csv-text.ts';
import type { LocalTime } from '../../model/local-time.ts';
import type { OwnerMapping } from '../../model/owners.ts';
import { slicedBody } from '../../scheduling/sliced-body.ts';
import { BadParameter, type ExpiryRequest, readExpiryRequest } from './request.ts';

/** What the routes read. A reload replaces it. */
export interface ExpiryInputs {
  /** Runs work on the inventory, or on `undefined` before the first poll, over several turns of the event loop. */
  readonly useInventory: <T>(work: (inventory: Inventory | undefined) => Promise<T>) => Promise<T>;
  readonly owners: () => OwnerMapping;
  /** Calendar of the analyzer. */
  readonly localTime: Pick<LocalTime, 'timeZone'>;
  /** Epoch seconds. */
  readonly now: () => number;
  /** URL of the daemon for people. */
  readonly url: string;
}

const DAY = 86_400;
/** How long a calendar keeps what has expired, seconds: an event that is just over must not vanish. */
const KEPT = 30 * DAY;

interface Asked extends ExpiryRequest {
  readonly inputs: ExpiryInputs;
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

const csv: Format = {
  type: 'text/csv; charset=utf-8',
  file: 'expirations.csv',
  from: ({ days, now }) => (days === undefined ? Number.NEGATIVE_INFINITY : now),
  parts: (known, { inputs, owners, now }) => {
    const { columns, rows } = expiryRows(known, { owners, now, timeZone: inputs.localTime.timeZone });
    return csvParts(columns, rows);
  },
};

const ics: Format = {
  type: 'text/calendar; charset=utf-8',
  file: 'expirations.ics',
  from: ({ now }) => now - KEPT,
  parts: ({ expiries, unknown }, { inputs, owner: asked, now }) =>
    calendarParts(expiries, {
      name: ['License expiries', ...asked.map((owner) => owner || 'without an owner')].join(', '),
      now,
      timeZone: inputs.localTime.timeZone,
      url: inputs.url,
      unknown,
    }),
};

/** @throws ExpiriesUnknown if nothing is known */
function read(asked: Asked, from: number): Promise<KnownExpiries> {
  const { inputs, owners, owner, days, now } = asked;
  const selection: ExpirySelection = {
    owners,
    isOwnerAsked: (name) => owner.length === 0 || owner.includes(name ?? ''),
    from,
    to: days === undefined ? Number.POSITIVE_INFINITY : now + days * DAY,
  };
  return inputs.useInventory(async (inventory) => {
    if (inventory === undefined) throw new ExpiriesUnknown('the analyzer has not been polled yet');
    return readExpiries(inventory, selection);
  });
}

const refusal = (reply: FastifyReply, status: number, message: string): FastifyReply =>
  reply.code(status).header('content-type', 'text/plain; charset=utf-8').send(`${message}\n`);

function createRoute({ type, file, from, parts }: Format, inputsOf: () => ExpiryInputs) {
  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const inputs = inputsOf();
    const owners = inputs.owners();
    try {
      const asked = { inputs, owners, now: inputs.now(), ...readExpiryRequest(request.query as object, owners) };
      const body = await slicedBody(parts(await read(asked, from(asked)), asked));
      return await reply
        .header('content-type', type)
        .header('content-disposition', `attachment; filename="${file}"`)
        .header('cache-control', 'no-store')
        .send(body);
    } catch (error) {
      if (error instanceof BadParameter) return refusal(reply, 400, error.message);
      if (error instanceof ExpiriesUnknown) return refusal(reply, 503, `Expiries are not known: ${error.message}`);
      throw error;
    }
  };
  return {
    plugin: async (app: FastifyInstance): Promise<void> => {
      app.get('/', { prefixTrailingSlash: 'no-slash' }, answer);
    },
    refuse: (reply: FastifyReply, _: string, message: string): FastifyReply =>
      refusal(reply, reply.statusCode, message),
  };
}

/** `/expirations.csv`: what expires when, for spreadsheets. */
export const createExpiryTable = (inputs: () => ExpiryInputs) => createRoute(csv, inputs);

/** `/expirations.ics`: the same for calendar programs. */
export const createExpiryCalendar = (inputs: () => ExpiryInputs) => createRoute(ics, inputs);

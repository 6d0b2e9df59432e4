import type { FastifyReply } from 'fastify';
import { type CalendarEvent, calendarParts, detailOf, titleNames } from '../../../alerting/expiries/calendar.ts';
import { ExpiriesUnknown, type UnknownExpiry } from '../../../alerting/expiries/unknown-expiry.ts';
import { csvParts } from '../../../base/model/csv-text.ts';
import { dateText } from '../../../base/model/local-time.ts';
import { isKnown } from '../../../base/model/unknown.ts';
import { slicedBody } from '../../../base/scheduling/sliced-body.ts';
import { type ContractBlock, type Contracts, pricedIn } from '../../../insight/contracts/contract-calendar.ts';
import { type ContractLine, lacksNotice } from '../../../insight/contracts/contract-line.ts';
import type { Backend } from '../../grafana/answers/backend.ts';
import { answerParts } from '../../grafana/protocols/answer-text.ts';
import { sendError } from '../../grafana/protocols/api-error.ts';
import type { PageContext } from '../page.ts';
import { BadParameter, namedParameters, shown } from '../parameters.ts';
import type { Routes } from '../routes.ts';
import { type ContractData, contractRequestOf, readContractData } from './data.ts';
import { adviceText, expiresText, noticeText, renewalText, worthText, yearlyTexts } from './texts.ts';

/** `/api/v1/contracts`: the contract calendar for programs, spreadsheets and calendar programs. */

type Cell = string | number | null;

function* linesOf({ groups, permanent, undated }: Contracts): Generator<ContractLine, void> {
  for (const { blocks } of groups) for (const { lines } of blocks) yield* lines;
  yield* undated.lines;
  yield* permanent.lines;
}

/** What the cells of a line leave open. */
function noteOf(line: ContractLine): string | null {
  const { worth, expires } = line;
  const notes = [
    ...(lacksNotice(line) ? ['notice not known'] : []),
    ...(expires === 'not known' ? ['expiry not known'] : []),
    ...(worth.kind === 'a year' || worth.kind === 'not shown' ? [] : [worthText(worth)]),
  ];
  return notes.length === 0 ? null : notes.join('; ');
}

/** What is not known is first, with a note: at the end of a long table, nobody sees it. A row is made when it is read. */
export function contractRows({ contracts, unknown }: ContractData, owners: ReturnType<Backend['owners']>) {
  const ownerCells = (vendorLicense: string, feature?: string): readonly Cell[] => {
    const labels = owners.of(vendorLicense, feature);
    return owners.names.map((name) => labels[name] ?? null);
  };
  const unknownRow = ({ vendorLicense, reason }: UnknownExpiry): readonly Cell[] => {
    const note = `expiries are not all known: ${reason}`;
    const empty = Array.from({ length: 12 }, () => null);
    return ['not known', null, vendorLicense, ...empty, ...ownerCells(vendorLicense), null, note];
  };
  const lineRow = (line: ContractLine): readonly Cell[] => {
    const { state, actBy, vendorLicense, feature, version, package: pkg, featureType, licenses, worth, price } = line;
    return [
      ...[state, actBy === undefined ? null : dateText(actBy), vendorLicense, feature, version, pkg, featureType],
      licenses === 'uncounted' || isKnown(licenses) ? licenses : null,
      ...[renewalText(line) ?? null, noticeText(line) ?? null, expiresText(line) ?? null],
      ...[price?.price ?? null, price?.per ?? null, price?.currency ?? null],
      worth.kind === 'a year' ? worth.amount : null,
      ...ownerCells(vendorLicense, feature),
      adviceText(line) || null,
      noteOf(line),
    ];
  };
  return {
    columns: [
      ...['state', 'act_by', 'vendor_license', 'feature', 'version', 'package', 'feature_type', 'licenses'],
      ...['renewal', 'notice', 'expires', 'price', 'per', 'currency', 'value_per_year', ...owners.names],
      ...['advice', 'note'],
    ],
    *rows(): Generator<readonly Cell[], void> {
      yield* unknown.values().map(unknownRow);
      yield* linesOf(contracts).map(lineRow);
    },
  };
}

/** How long a calendar keeps what has passed, days: an event that is just over must not vanish. */
const KEPT = 30;

/** The notice and the renewal of a block, and an expiry before it, as far as they are not long ago. */
function eventsOf(block: ContractBlock, since: number): readonly CalendarEvent[] {
  const { vendorLicense, owner, renewal, notice, lines, tally } = block;
  const [renewed, noticed, expires] = [renewalText(block), noticeText(block), expiresText(block)];
  const names = titleNames(lines.map(({ feature }) => feature));
  const amounts = yearlyTexts(tally);
  const eventOf = (kind: string, date: string, title: string): CalendarEvent => ({
    identity: [kind, vendorLicense, owner, renewed, noticed, expires],
    date,
    title: `${title} – ${vendorLicense}`,
    list: lines.map((line) =>
      [detailOf(line), worthText(line.worth), adviceText(line)].filter((part) => part !== '').join(', '),
    ),
    details: [
      noticed === undefined ? undefined : `Notice by ${noticed}`,
      lacksNotice(block) ? 'Notice not known' : undefined,
      renewed === undefined ? undefined : `Renewal: ${renewed}`,
      expires === undefined ? 'Expiry not known' : `Expires: ${expires}`,
      amounts.length === 0 ? undefined : `Value: ${amounts.join(', ')}`,
      `Vendor license: ${vendorLicense}`,
      owner === undefined ? 'No owner' : `Owner: ${owner}`,
    ],
  });
  const events: CalendarEvent[] = [];
  if ((notice.kind === 'by' || notice.kind === 'passed') && notice.day >= since) {
    const date = dateText(notice.day);
    events.push(eventOf('notice', date, `Notice for ${names} by ${date}`));
  }
  if (renewal.kind === 'on' && renewal.day >= since) {
    events.push(eventOf('renewal', dateText(renewal.day), `Renewal of ${names}`));
  }
  if (
    typeof block.expires === 'number' &&
    block.expires >= since &&
    renewal.kind === 'on' &&
    block.expires < renewal.day
  ) {
    events.push(eventOf('expiry', dateText(block.expires), `Expiry of ${names}`));
  }
  return events;
}

/** An answer in one of the formats. */
interface Answer {
  readonly data: ContractData;
  readonly backend: Backend;
  /** URL of the daemon for people. */
  readonly url: string;
}

interface Format {
  readonly type: string;
  /** The name of its file; `undefined` for an answer to a program. */
  readonly file: string | undefined;
  readonly parts: (answer: Answer) => Iterable<string>;
  /** The number of prices in it. */
  readonly prices: (contracts: Contracts) => number;
}

const pricesInRows = ({ listed, undated, permanent }: Contracts): number =>
  pricedIn(listed) + pricedIn(undated.tally) + pricedIn(permanent.tally);

const formats: Readonly<Record<string, Format>> = {
  json: {
    type: 'application/json; charset=utf-8',
    file: undefined,
    prices: pricesInRows,
    parts: ({ data, backend }) => {
      const { columns, rows } = contractRows(data, backend.owners());
      const notices = [data.withoutPrices, data.withoutAdvice].filter((notice) => notice !== undefined);
      const items = rows().map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at] ?? null])));
      return answerParts({ status: 'success', until: dateText(data.contracts.end), notices, data: items });
    },
  },
  csv: {
    type: 'text/csv; charset=utf-8',
    file: 'contracts.csv',
    prices: pricesInRows,
    parts: ({ data, backend }) => {
      const { columns, rows } = contractRows(data, backend.owners());
      return csvParts(columns, rows());
    },
  },
  ics: {
    type: 'text/calendar; charset=utf-8',
    file: 'contracts.ics',
    prices: ({ listed }) => pricedIn(listed),
    parts: ({ data: { contracts, unknown, asked }, backend, url }) => {
      const since = contracts.today - KEPT;
      const blocks = contracts.groups.values().flatMap((group) => group.blocks);
      return calendarParts(
        blocks.flatMap((block) => eventsOf(block, since)),
        {
          name: ['License contracts', ...asked.owner.map((owner) => owner || 'without an owner')].join(', '),
          now: backend.now(),
          timeZone: backend.localTime.timeZone,
          url,
          unknown,
        },
      );
    },
  },
};

function formatOf(raw: unknown = 'json'): Format {
  const found = typeof raw === 'string' && Object.hasOwn(formats, raw) ? formats[raw] : undefined;
  if (found !== undefined) return found;
  throw new BadParameter(`format is ${shown(raw)}, not one of ${Object.keys(formats).join(', ')}`);
}

async function send(reply: FastifyReply, format: Format, answer: Answer): Promise<FastifyReply> {
  if (format.file !== undefined) reply.header('content-disposition', `attachment; filename="${format.file}"`);
  return reply
    .header('content-type', format.type)
    .header('cache-control', 'no-store')
    .send(await slicedBody(format.parts(answer)));
}

/** The contract calendar in the format of the parameter `format`. */
export const contractsApiRoutes = ({ backend: of, url }: PageContext): Routes => ({
  '/': async (request, reply) => {
    const backend = of(request);
    try {
      const { format: raw, owner, months } = namedParameters(request.query, ['format', 'months', 'owner']);
      const format = formatOf(raw);
      const asked = contractRequestOf(owner, months, backend);
      const inventory = backend.inventory();
      if (inventory === undefined) throw new ExpiriesUnknown('the analyzer has not been polled yet');
      const data = await readContractData(backend, inventory, asked);
      backend.prices.onServed(format.prices(data.contracts));
      return await send(reply, format, { data, backend, url: url() });
    } catch (error) {
      if (error instanceof BadParameter) return sendError(reply, 400, error.message);
      if (error instanceof ExpiriesUnknown) return sendError(reply, 503, `expiries are not known: ${error.message}`);
      throw error;
    }
  },
});

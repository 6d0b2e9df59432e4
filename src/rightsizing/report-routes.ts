import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Site } from '../html/frame.ts';
import type { Inventory } from '../inventory/inventory.ts';
import { runSliced } from '../scheduling/slices.ts';
import { AdviceNotReady, type ProposalSource } from './proposals.ts';
import { createReport } from './report.ts';
import type { ReportFrame } from './report-items.ts';
import { notReadyPage, reportParts } from './report-page.ts';

/** What the report reads. A reload replaces it. */
export interface ReportInputs {
  readonly proposals: ProposalSource;
  readonly useInventory: <T>(work: (inventory: Inventory | undefined) => Promise<T>) => Promise<T>;
  readonly ownerOf: ReportFrame['ownerOf'];
}

export interface ReportOptions {
  readonly site: Site;
  readonly inputs: () => ReportInputs;
  /** Why prices are not shown to the user of a request; `undefined` if they are. */
  readonly refusalOfPrices: (request: FastifyRequest) => string | undefined;
}

function* pageOf(
  { proposals, ownerOf }: ReportInputs,
  inventory: Inventory | undefined,
  demo: boolean,
  refusal: string | undefined,
): Generator<void, string> {
  const read = yield* proposals.read(inventory, refusal === undefined);
  const report = yield* createReport(read, proposals.localTime());
  const withoutPrices = proposals.hasPrices() ? refusal : 'there are no prices: set rightsizing.price_file';
  let page = '';
  for (const part of reportParts(read.table, report, { demo, withoutPrices, ownerOf })) {
    page += part;
    yield;
  }
  return page;
}

/** `/rightsizing`: the report. */
export function createReportPage({ demo, inputs, refusalOfPrices }: ReportOptions) {
  const page = (request: FastifyRequest): Promise<string> => {
    const current = inputs();
    return current.useInventory((inventory) => runSliced(pageOf(current, inventory, demo, refusalOfPrices(request))));
  };
  return {
    plugin: async (app: FastifyInstance): Promise<void> => {
      app.get('/', { prefixTrailingSlash: 'no-slash' }, async (request, reply) => {
        reply
          .header('content-type', 'text/html; charset=utf-8')
          .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
          .header('cache-control', 'no-store');
        try {
          return await reply.send(await page(request));
        } catch (error) {
          if (error instanceof AdviceNotReady) return reply.code(503).send(notReadyPage(error.message));
          throw error;
        }
      });
    },
    refuse: (reply: FastifyReply, _: string, message: string): FastifyReply =>
      reply.header('content-type', 'text/plain; charset=utf-8').send(`${message}\n`),
  };
}

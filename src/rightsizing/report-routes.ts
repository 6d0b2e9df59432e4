import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Site } from '../html/frame.ts';
import { refusePage, sendPage } from '../html/routes.ts';
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
  site: Site,
  refusal: string | undefined,
): Generator<void, string> {
  const read = yield* proposals.read(inventory, refusal === undefined);
  const report = yield* createReport(read, proposals.localTime());
  const withoutPrices = proposals.hasPrices() ? refusal : 'there are no prices: set rightsizing.price_file';
  let page = '';
  for (const part of reportParts(site, read.table, report, { withoutPrices, ownerOf })) {
    page += part;
    yield;
  }
  return page;
}

/** `/rightsizing`: the report. */
export function createReportPage({ site, inputs, refusalOfPrices }: ReportOptions) {
  const page = (request: FastifyRequest): Promise<string> => {
    const current = inputs();
    return current.useInventory((inventory) => runSliced(pageOf(current, inventory, site, refusalOfPrices(request))));
  };
  return {
    plugin: async (app: FastifyInstance): Promise<void> => {
      app.get('/', { prefixTrailingSlash: 'no-slash' }, async (request, reply) => {
        try {
          return await sendPage(reply, await page(request));
        } catch (error) {
          if (error instanceof AdviceNotReady) return sendPage(reply.code(503), notReadyPage(site, error));
          throw error;
        }
      });
    },
    refuse: refusePage,
  };
}

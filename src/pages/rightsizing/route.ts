import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Site } from '../../html/frame.ts';
import { refusePage, sendPage } from '../../html/routes.ts';
import type { Inventory } from '../../inventory/inventory.ts';
import type { Confidential } from '../../model/confidential.ts';
import { AdviceNotReady, type ProposalSource } from '../../rightsizing/proposals.ts';
import { createReport, pricesIn } from '../../rightsizing/report.ts';
import { runSliced } from '../../scheduling/slices.ts';
import type { ReportFrame } from './items.ts';
import { notReadyPage, reportPage } from './markup.ts';

/** What the report reads. A reload replaces it. */
export interface ReportInputs {
  readonly proposals: ProposalSource;
  readonly useInventory: <T>(work: (inventory: Inventory | undefined) => Promise<T>) => Promise<T>;
  readonly ownerOf: ReportFrame['ownerOf'];
}

export interface ReportOptions {
  readonly site: Site;
  readonly inputs: () => ReportInputs;
  /** Whether the user of a request may see prices. */
  readonly prices: (request: FastifyRequest) => Confidential;
}

async function pageOf(
  { proposals, ownerOf }: ReportInputs,
  inventory: Inventory | undefined,
  site: Site,
  prices: Confidential,
): Promise<string> {
  const refusal = prices.refusal();
  const read = await runSliced(proposals.read(inventory, refusal === undefined));
  const report = await runSliced(createReport(read, proposals.localTime()));
  prices.onServed(pricesIn(report));
  const withoutPrices = proposals.hasPrices() ? refusal : 'there are no prices: set rightsizing.price_file';
  return reportPage(site, read.table, report, { withoutPrices, ownerOf });
}

/** `/rightsizing`: the report. */
export function createReportPage({ site, inputs, prices }: ReportOptions) {
  const page = (request: FastifyRequest): Promise<string> => {
    const current = inputs();
    return current.useInventory((inventory) => pageOf(current, inventory, site, prices(request)));
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

import { type PageLink, pageHtml } from '../../../base/html/frame.ts';
import { dateText } from '../../../base/model/local-time.ts';
import { AdviceNotReady } from '../../../insight/advice/pass/proposals.ts';
import { createReport, pricesIn } from '../../../insight/advice/pass/report.ts';
import { sendPage } from '../../web/page-answers.ts';
import type { PageContext } from '../page.ts';
import type { Routes } from '../routes.ts';
import { notReadyContent, reportContent } from './markup.ts';

/** How often the page asks again while the first pass runs, seconds. */
const ASK_AGAIN = 2;

/** The report. Before the first pass, it is loaded again while the pass runs. */
export const rightsizingRoutes = ({ site, backend }: PageContext, link: PageLink): Routes => ({
  '/': async (request, reply) => {
    const { proposals, prices, owners, inventory } = backend(request);
    const refusal = prices.refusal();
    try {
      const read = proposals.read(inventory(), refusal === undefined);
      const { table } = read;
      const report = createReport(read, proposals.localTime());
      prices.onServed(pricesIn(report));
      const content = reportContent(table, report, {
        withoutPrices: proposals.hasPrices() ? refusal : 'there are no prices: set rightsizing.price_file',
        ownerOf: (vendorLicense, feature) => owners().of(vendorLicense, feature).owner,
      });
      // a browser proposes the title as the name of a PDF
      const title = `${link.title} ${dateText(table.day)}`;
      return await sendPage(reply, pageHtml(site, { ...link, title }, content));
    } catch (error) {
      if (!(error instanceof AdviceNotReady)) throw error;
      const page = error.isSoon ? { ...link, reloadsAfter: ASK_AGAIN } : link;
      return sendPage(reply.code(503), pageHtml(site, page, notReadyContent(error)));
    }
  },
});

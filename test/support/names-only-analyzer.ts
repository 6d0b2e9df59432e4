import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { endpoints, OWN_ANALYZER, OWN_HEADER } from '../../src/base/query-api/endpoints.ts';
import type { Cleanup } from './harness.ts';

/**
 * An analyzer whose source knows only names, as our own analyzer answers then: it leaves out what is not known. No name
 * has a digit, so that each digit that a reader shows is a figure.
 */

export const VENDOR_LICENSES = ['alpha;meshd', 'beta;routed'] as const;
export const FEATURES = ['mesh', 'solve'] as const;

const recordsOf = (product: string | null): readonly object[] =>
  VENDOR_LICENSES.filter((name) => product === '%' || product === name).flatMap((name) => {
    const [ServerName, Daemon] = name.split(';');
    return FEATURES.map((Feature) => ({
      Feature,
      Version: '',
      Package: '',
      FeatureType: 'feature',
      ServerName,
      Daemon,
    }));
  });

const answers: Readonly<Record<string, (product: string | null) => unknown>> = {
  [endpoints.GetHttpUserName.path]: () => 'CORP\\exporter',
  [endpoints.GetProducts.path]: () => VENDOR_LICENSES.map((Product) => ({ Product })),
  [endpoints.GetFeatures.path]: (product) => [recordsOf(product)],
  [endpoints.GetExpirationFeatures.path]: (product) =>
    recordsOf(product).map((row) => ({ ...row, ServerName: undefined, Daemon: undefined })),
  [endpoints.GetConcurrentUsers.path]: () => 'NaN',
  // a past in which nothing was recorded
  [endpoints.GetHistory.path]: () => [],
  [endpoints.GetHistoryReserved.path]: () => [],
  [endpoints.GetEfficiency.path]: () => [],
  [endpoints.GetHeatMap.path]: () => [],
};

/** @returns its base URL. It requires no logon. */
export async function startNamesOnlyAnalyzer(cleanup: Cleanup): Promise<string> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://analyzer');
    const answer = answers[pathname.replace('/analyzer', '')];
    response.setHeader(OWN_HEADER, OWN_ANALYZER);
    // which servers are down, and who uses what, is not known
    if (answer === undefined) response.writeHead(503).end();
    else {
      const body = answer(searchParams.get('product'));
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup.add(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/analyzer`;
}

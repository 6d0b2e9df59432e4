import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { withDeadline } from '../datasource/deadline.ts';
import { type Page, pageHtml, type Site } from '../html/frame.ts';
import { type Content, type Html, html } from '../html/html.ts';
import { refusePage, sendPage } from '../html/routes.ts';
import type { Inventory } from '../inventory/inventory.ts';
import { featureContent } from './feature/markup.ts';
import { readFeature } from './feature/route.ts';
import type { StatusInputs } from './inputs.ts';
import { statusContent } from './status/markup.ts';
import { readStatus } from './status/route.ts';
import { vendorLicenseContent } from './vendor-license/markup.ts';
import { readVendorLicense } from './vendor-license/route.ts';
import type { Clock } from './wording.ts';

/** The pages at `/`, `/vendor-license` and `/feature`. */

export interface StatusOptions {
  readonly site: Site;
  /** What the pages read, for the user of a request. */
  readonly inputs: (request: FastifyRequest) => StatusInputs;
  /** Links for other programs, at the end of the page at `/`. */
  readonly interfaces: Content;
}

/** How long a page waits for the analyzer, seconds. What is missing then is said on it. */
const DEADLINE = 8;

/** A page with its content, or with the reason why it has no content. */
interface Answer {
  readonly status: number;
  readonly page: Page;
  readonly content: Content;
}

/** A parameter that is given once; empty otherwise. */
function parameterOf(request: FastifyRequest, name: string): string {
  const value = (request.query as Readonly<Record<string, unknown>>)[name];
  return typeof value === 'string' ? value : '';
}

const message = (status: number, title: string, text: Content): Answer => ({
  status,
  page: { title, refreshes: status === 503 },
  content: html`<h1>${title}</h1>\n<p>${text}</p>`,
});

const notPolled = (): Answer =>
  message(
    503,
    'Not polled yet',
    'The first poll of the analyzer has not ended. This page shows the licenses when it has.',
  );

const missing = (name: string): Answer =>
  message(
    400,
    'Incomplete address',
    html`The parameter <code>${name}</code> is missing. <a href="./">All vendor licenses</a>`,
  );

/** @param isKnown whether the list is known in which it is missing */
const notFound = (isKnown: boolean, what: Html): Answer =>
  isKnown
    ? message(404, 'Not found', html`The analyzer does not report ${what} now. <a href="./">All vendor licenses</a>`)
    : message(503, 'Not known now', html`There is no data about ${what} now. <a href="./#polls">Age of the data</a>`);

type Read = (
  request: FastifyRequest,
  inputs: StatusInputs,
  inventory: Inventory,
  signal: AbortSignal,
) => Promise<Answer>;

function createPage({ site, inputs }: StatusOptions, read: Read) {
  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const current = inputs(request);
    const { status, page, content } = await current.backend.useInventory(async (inventory) =>
      inventory === undefined
        ? notPolled()
        : await withDeadline(reply, DEADLINE, (signal) => read(request, current, inventory, signal)),
    );
    return sendPage(reply.code(status), pageHtml(site, page, content));
  };
  return {
    plugin: async (app: FastifyInstance): Promise<void> => {
      app.get('/', { prefixTrailingSlash: 'no-slash' }, answer);
    },
    refuse: refusePage,
  };
}

const clockOf = ({ backend, timeZone }: StatusInputs): Clock => ({ now: backend.now(), timeZone });

/** `/`: the whole site. The parameter `q` filters it. */
export function createStatusPage(options: StatusOptions) {
  return createPage(options, async (request, inputs, inventory, signal) => {
    const filter = parameterOf(request, 'q');
    const data = await readStatus(inputs, inventory, filter, signal);
    const page = { title: 'Status', path: './', refreshes: true };
    return { status: 200, page, content: statusContent({ ...data, interfaces: options.interfaces }, clockOf(inputs)) };
  });
}

/** `/vendor-license`: the one with the parameter `name`. The parameter `q` filters its features. */
export function createVendorLicensePage(options: StatusOptions) {
  return createPage(options, async (request, inputs, inventory, signal) => {
    const name = parameterOf(request, 'name');
    if (name === '') return missing('name');
    const data = await readVendorLicense(inputs, inventory, { name, filter: parameterOf(request, 'q') }, signal);
    if (data === undefined) return notFound(inventory.knowledge.products, html`the vendor license <bdi>${name}</bdi>`);
    const page = { title: name, refreshes: true };
    return { status: 200, page, content: vendorLicenseContent(data, clockOf(inputs)) };
  });
}

/** `/feature`: the one with the parameters `vendor_license` and `feature`. */
export function createFeaturePage(options: StatusOptions) {
  return createPage(options, async (request, inputs, inventory, signal) => {
    const vendorLicense = parameterOf(request, 'vendor_license');
    const feature = parameterOf(request, 'feature');
    if (vendorLicense === '' || feature === '') return missing(feature === '' ? 'feature' : 'vendor_license');
    const data = await readFeature(inputs, inventory, { vendorLicense, feature }, signal);
    if (data === undefined) {
      const isKnown = inventory.knowledge.features(vendorLicense);
      return notFound(isKnown, html`the feature <bdi>${feature}</bdi> of <bdi>${vendorLicense}</bdi>`);
    }
    const page = { title: `${feature}, ${vendorLicense}`, refreshes: true };
    return { status: 200, page, content: featureContent(data, clockOf(inputs)) };
  });
}

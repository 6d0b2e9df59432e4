import type { FastifyRequest } from 'fastify';
import type { ReceiverStatus } from '../../alerting/alerts/delivery.ts';
import type { EngineStatus } from '../../alerting/alerts/engine-status.ts';
import { type Page, pageHtml, type Site } from '../../base/html/frame.ts';
import { type Content, type Html, html } from '../../base/html/html.ts';
import type { ImportedDays, RecordingHealth } from '../../base/model/observation/recording.ts';
import type { SourceHealth } from '../../base/model/observation/source.ts';
import type { Inventory } from '../../exporter/inventory/inventory.ts';
import type { MetricSeries } from '../../exporter/metrics/exposition.ts';
import type { Backend } from '../grafana/answers/backend.ts';
import { withDeadline } from '../grafana/protocols/answer-text.ts';
import { sendPage } from '../web/page-answers.ts';
import type { DenialSource } from './denied.ts';
import type { Routes } from './routes.ts';

/** What a page reads, and how it answers. */

/** How many alerts fire, by severity, and how many are pending. */
export interface AlertCounts extends Readonly<Record<'critical' | 'warning' | 'info' | 'pending', number>> {
  /** The kinds of alerts of which it is not known whether they apply, without those whose data is not requested. */
  readonly withoutData: number;
  /** Whether the rules are evaluated, and over new data: otherwise no alert does not mean that all is well. */
  readonly isZeroKnown: boolean;
}

/** What the pages read. A reload replaces what the functions return. */
export interface PageContext {
  readonly site: Site;
  /** The data, for the user of the request. */
  readonly backend: (request: FastifyRequest) => Backend;
  /** Deadline of a request to the analyzer for a program, seconds. */
  readonly deadline: () => number;
  /** Called with errors that are bugs. */
  readonly onProblem: (error: unknown) => void;
  /** Epoch seconds. */
  readonly now: () => number;
  /** URL of the daemon for people. */
  readonly url: () => string;
  /** Host and port of the analyzer, or its configured name; `undefined` for one in this process without a name. */
  readonly analyzer: () => string | undefined;
  readonly engine: () => EngineStatus;
  /** `undefined` until the rules have been evaluated. */
  readonly alertCounts: () => AlertCounts | undefined;
  /** Receivers other than Alertmanagers. */
  readonly receivers: () => readonly ReceiverStatus[];
  /** How many series each metric has on the page for Prometheus, the most first. */
  readonly series: () => Promise<readonly MetricSeries[]>;
  /** The URL of the runbooks. Its fragment is the name of an alert in lower case. */
  readonly runbooks: () => string;
  readonly denials: () => DenialSource;
  /** Whether people who wait, and those whose licenses could come back, are looked for. */
  readonly people: boolean;
  /** Of an analyzer in this process, with the history that it records; `undefined` without one. */
  readonly collecting: Collecting | undefined;
  /** What of a feature was imported, in all packages and types; empty while history cannot be read. */
  readonly imported: (vendorLicense: string, feature: string) => readonly ImportedDays[];
  /** Links for other programs, at the end of the first page. */
  readonly interfaces: Content;
}

/** An analyzer in this process. */
export interface Collecting {
  readonly sources: () => readonly SourceHealth[];
  readonly recording: () => RecordingHealth;
}

/** How long a page waits for the analyzer, seconds. What is missing then is said on it. */
const DEADLINE = 8;

/** A page with its content, or with the reason why it has no content. */
interface Written {
  readonly status: number;
  readonly page: Page;
  readonly content: Content;
}

/** A page that is known. */
export const written = (page: Page, content: Content): Written => ({ status: 200, page, content });

/** A parameter that is given once; empty otherwise. */
export function parameterOf(request: FastifyRequest, name: string): string {
  const value = (request.query as Readonly<Record<string, unknown>>)[name];
  return typeof value === 'string' ? value : '';
}

const message = (status: number, title: string, text: Content): Written => ({
  status,
  page: { title, refreshes: status === 503 },
  content: html`<h1>${title}</h1>\n<p>${text}</p>`,
});

const notPolled = (): Written =>
  message(
    503,
    'Not polled yet',
    'The first poll of the analyzer has not ended. This page shows the licenses when it has.',
  );

/** The answer without a parameter that the page needs. */
export const missing = (name: string): Written =>
  message(
    400,
    'Incomplete address',
    html`The parameter <code>${name}</code> is missing. <a href="./">All vendor licenses</a>`,
  );

/**
 * The 404 about what the analyzer does not report. That of a path at which nothing is: `src/site/web/not-found.ts`.
 *
 * @param isKnown whether the list is known in which it is missing
 */
export const notReported = (isKnown: boolean, what: Html): Written =>
  isKnown
    ? message(404, 'Not found', html`The analyzer does not report ${what} now. <a href="./">All vendor licenses</a>`)
    : message(503, 'Not known now', html`There is no data about ${what} now. <a href="./#polls">Age of the data</a>`);

/** What the content of a page is made of. */
export interface Reading {
  readonly request: FastifyRequest;
  readonly backend: Backend;
  readonly inventory: Inventory;
  /** Aborted after the deadline of a page. */
  readonly signal: AbortSignal;
}

/** A page about the inventory: it says so before the first poll has ended. */
export const inventoryPage = (
  { site, backend }: PageContext,
  read: (reading: Reading) => Promise<Written>,
): Routes => ({
  '/': async (request, reply) => {
    const current = backend(request);
    const inventory = current.inventory();
    const { status, page, content } =
      inventory === undefined
        ? notPolled()
        : await withDeadline(reply, DEADLINE, (signal) => read({ request, backend: current, inventory, signal }));
    return sendPage(reply.code(status), pageHtml(site, page, content));
  },
});

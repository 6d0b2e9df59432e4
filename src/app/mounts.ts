import type { FastifyRequest } from 'fastify';
import type { RecordedDemand } from '../analyzer/recorded-demand.ts';
import type { Backend, SharedBackend } from '../datasource/backend.ts';
import { createRightsizingApi } from '../datasource/rightsizing-api.ts';
import { createDatasource } from '../datasource/routes.ts';
import { completeRows } from '../datasource/rows.ts';
import type { Site } from '../html/frame.ts';
import type { Log } from '../model/log.ts';
import type { RecordingHealth } from '../model/observation/recording.ts';
import type { SourceHealth } from '../model/observation/source.ts';
import { createAlertApi, createAlertPage } from '../pages/alerts/routes.ts';
import type { DenialSource } from '../pages/denied.ts';
import { createExpiryCalendar, createExpiryTable, type ExpiryInputs } from '../pages/expiries/route.ts';
import type { StatusInputs } from '../pages/inputs.ts';
import { createFeaturePage, createStatusPage, createVendorLicensePage } from '../pages/page.ts';
import { createReportPage, type ReportInputs } from '../pages/rightsizing/route.ts';
import { createRunbookPage } from '../pages/runbooks/route.ts';
import { pathList } from '../web/path-list.ts';
import type { Mount } from '../web/server.ts';
import { externalUrl } from './alerting.ts';
import { alertCountsOf, collectionTimes, hasDenials, notRequestedRules } from './attention.ts';
import { deniedToday } from './denials.ts';
import { shownName } from './identity.ts';
import type { AppConfig, Pipeline } from './pipeline.ts';
import { sourcesMount } from './sources.ts';

/** The routes of all rooms, and the pages among them. */

interface SiteDeps {
  readonly demo: boolean;
  readonly version: string;
  /** Of an analyzer in this process; `undefined` without one. */
  readonly sources?: () => readonly SourceHealth[];
}

/** What the pages have in common. */
export const siteOf = ({ demo, version, sources }: SiteDeps): Site => ({
  demo,
  version,
  links: [
    { path: './', title: 'Status' },
    { path: 'alerts', title: 'Alerts' },
    { path: 'rightsizing', title: 'Right-sizing' },
    ...(sources === undefined ? [] : [{ path: 'sources', title: 'Sources' }]),
    { path: 'runbooks', title: 'Runbooks' },
  ],
});

interface MountDeps {
  readonly pages: Site;
  /** The configuration at start, because a reload does not change paths. */
  readonly initial: AppConfig;
  /** The current one, which a reload replaces. */
  readonly pipeline: () => Pipeline;
  readonly sources: (() => readonly SourceHealth[]) | undefined;
  readonly recording: (() => RecordingHealth) | undefined;
  readonly recorded: RecordedDemand | undefined;
  /** The data for the user of a request. */
  readonly backend: (request: FastifyRequest) => Backend;
  /** Epoch seconds. */
  readonly now: () => number;
  readonly log: Log;
}

const reportInputs = ({ proposals, useInventory, owners }: SharedBackend): ReportInputs => ({
  proposals,
  useInventory,
  ownerOf: (vendorLicense, feature) => owners().of(vendorLicense, feature).owner,
});

function denialSource({ config, passInputs }: Pipeline, recorded: RecordedDemand | undefined): DenialSource {
  if (recorded !== undefined) return { kind: 'recorded', today: () => deniedToday(recorded, passInputs.owns) };
  return { kind: hasDenials(config) ? 'polled' : 'not polled' };
}

export function createMounts({
  pages,
  initial,
  pipeline,
  sources,
  recording,
  recorded,
  backend,
  now,
  log,
}: MountDeps): readonly Mount[] {
  const alertView = () => {
    const { config, alerting, messages, inventory } = pipeline();
    return {
      site: pages,
      status: alerting.status(),
      receivers: messages.status(),
      runbooks: config.alerting.runbookBaseUrl ?? 'runbooks',
      collectedAt: collectionTimes(inventory.latest()),
      now: now(),
    };
  };
  const answering = {
    backend,
    deadline: () => pipeline().config.datasource.deadline,
    onProblem: (error: unknown) => log.error({ err: error }, 'request from Grafana failed'),
  };
  const expiryInputs = (): ExpiryInputs => ({ ...pipeline().datasource, url: externalUrl(pipeline().config) });
  const everySeverity = { severity: ['critical', 'warning', 'info'] };
  const attention = (request: FastifyRequest) =>
    completeRows('attention', everySeverity, backend(request), AbortSignal.timeout(answering.deadline() * 1000));
  const mounts: readonly Mount[] = [
    { path: '/alerts', about: 'Alerts that fire now, and their delivery.', ...createAlertPage(alertView) },
    { path: '/runbooks', about: 'What each alert means, and what to check.', ...createRunbookPage(pages) },
    ...(sources === undefined || recording === undefined ? [] : [sourcesMount(sources, recording, now, pages)]),
    {
      path: '/rightsizing',
      about: 'How many licenses could go, are missing or run out.',
      ...createReportPage({
        site: pages,
        inputs: () => reportInputs(pipeline().datasource),
        prices: (request) => backend(request).prices,
      }),
    },
    {
      path: '/expirations.csv',
      about: 'Which licenses expire when, as a table.',
      ...createExpiryTable(expiryInputs),
    },
    { path: '/expirations.ics', about: 'The same, as a calendar.', ...createExpiryCalendar(expiryInputs) },
    // before the path that it is below
    { path: '/api/v1/rightsizing', about: undefined, ...createRightsizingApi(answering) },
    { path: '/api/v1', about: undefined, ...createAlertApi({ status: () => pipeline().alerting.status(), attention }) },
    {
      path: initial.datasource.path,
      deadline: answering.deadline,
      about: 'History, users and the last poll as JSON, for Grafana.',
      ...createDatasource(answering),
    },
  ];
  const { telemetryPath } = initial.web;
  const status = {
    site: pages,
    interfaces: pathList({ telemetryPath, mounts }),
    inputs: (request: FastifyRequest): StatusInputs => {
      const { config, datasource, alerting } = pipeline();
      return {
        backend: backend(request),
        analyzer: shownName(config),
        alerts: alertCountsOf(alerting.status(), notRequestedRules(config, sources !== undefined)),
        timeZone: datasource.localTime.timeZone,
        sources: sources?.(),
        recording: recording?.(),
        denials: denialSource(pipeline(), recorded),
      };
    },
  };
  return [
    { path: '/', about: undefined, ...createStatusPage(status) },
    { path: '/vendor-license', about: undefined, ...createVendorLicensePage(status) },
    { path: '/feature', about: undefined, ...createFeaturePage(status) },
    ...mounts,
  ];
}

/** How much is tested. */

/** Whether this is the part of `npm run verify` with more random cases and more kills. */
export const isLong = process.env.TEST_LONG === '1';

/** Whether every combination is tested, as `.ci/run` does: `TEST_MATRIX=1 npm test`. `npm test` has one of each kind. */
export const isMatrix = process.env.TEST_MATRIX === '1';

/**
 * What `npm test` leaves out: more peers and kills, days and outages as a whole, what must not happen for a while, any text, and pages
 * that are drawn or walked through.
 */
export const matrix = [
  'test/alerting/alerts/clock.test.ts',
  'test/alerting/alerts/crash.test.ts',
  'test/alerting/alerts/end-to-end.test.ts',
  'test/alerting/alerts/one-message.test.ts',
  'test/alerting/alerts/outage.test.ts',
  'test/alerting/alerts/relay.test.ts',
  'test/alerting/alerts/simulated-site.test.ts',
  'test/program/app/clock.test.ts',
  'test/program/app/expiry-days.test.ts',
  'test/program/app/failure-log.test.ts',
  'test/program/app/faults.test.ts',
  'test/program/app/names-only.test.ts',
  'test/program/app/one-count.test.ts',
  'test/program/app/slow-scrape.test.ts',
  'test/program/app/vanished.test.ts',
  'test/analyzer/archive/two-analyzers.test.ts',
  'test/exporter/client/logon-file.test.ts',
  'test/program/commands/backup.test.ts',
  'test/program/commands/capture/any-text.test.ts',
  'test/program/commands/import-analyzer.test.ts',
  'test/program/commands/sources.test.ts',
  'test/compiler.test.ts',
  'test/program/config/junk.test.ts',
  'test/site/grafana/upstream.test.ts',
  'test/deploy/expiry-digest.test.ts',
  'test/program/diagnosis/first-mistakes.test.ts',
  'test/analyzer/exchange/demo-year.test.ts',
  'test/grafana/figures-agree.test.ts',
  'test/grafana/promql.test.ts',
  'test/grafana/stopped.test.ts',
  'test/alerting/messages/daemon.test.ts',
  'test/alerting/messages/webhook.test.ts',
  'test/peers/curl.test.ts',
  'test/peers/gss-ntlmssp.test.ts',
  'test/peers/proxies.test.ts',
  'test/peers/samba-accounts.test.ts',
  'test/peers/samba-source.test.ts',
  'test/peers/samba.test.ts',
  'test/analyzer/sources/slurm-controller.test.ts',
  'test/analyzer/sources/text-managers/any-text.test.ts',
  'test/analyzer/sources/transport/bad-tools.test.ts',
  'test/analyzer/sources/transport/command-runs.test.ts',
  'test/analyzer/sources/transport/killed-daemon.test.ts',
  'test/storm/fault-proxy.test.ts',
  'test/storm/sources-day.test.ts',
] as const;

/** Random cases of a test that takes long: `npm test` has a quarter of them. */
export const cases = (all: number): number => (isMatrix || isLong ? all : Math.ceil(all / 4));

/** Whether this is the part of `npm run verify` with the files that `.ci/run` leaves out too. */
export const hasYears = process.env.TEST_YEARS === '1';

/** Statistics of years that are drawn. They would take a tenth of the time of `.ci/run`, and show how good a method is. */
export const drawnYears = [
  'test/case-study/case-study.test.ts',
  'test/insight/advice/following-advice.test.ts',
  'test/insight/advice/forecast.test.ts',
  'test/insight/advice/next-year.test.ts',
] as const;

/** What ends a test that hangs, milliseconds. Nothing is expected to take so long on a machine under load. */
export const hangLimit = isLong ? 10_800_000 : 600_000;

/** How long an event is waited for before that is a failure, milliseconds. The host of `.ci/run` may be slow. */
export const patience = process.env.REQUIRE_PEERS === '1' ? 540_000 : 180_000;

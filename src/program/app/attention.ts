import { countsByClass } from '../../alerting/alerts/alert-classes.ts';
import { attentionItems } from '../../alerting/alerts/attention.ts';
import type { Subject } from '../../alerting/alerts/definition.ts';
import { engineAlertOf } from '../../alerting/alerts/definitions.ts';
import { type EngineStatus, withoutData } from '../../alerting/alerts/engine-status.ts';
import { engineNames } from '../../alerting/alerts/rules.ts';
import type { RecordingHealth } from '../../base/model/observation/recording.ts';
import { type Figure, unknown } from '../../base/model/unknown.ts';
import type { Inventory } from '../../exporter/inventory/inventory.ts';
import type { Attention } from '../../site/grafana/answers/backend.ts';
import type { AlertCounts } from '../../site/pages/page.ts';
import type { Config } from '../config/config.ts';

/** Whether denials are polled. */
export const hasDenials = ({ metrics, history }: Pick<Config, 'metrics' | 'history'>): boolean =>
  metrics.collectors.history && history.features.length > 0;

/** What depends on where the analyzer is; `undefined` for what it does not have. */
export interface OwnSubjects {
  readonly logons: object | undefined;
  readonly sources: readonly unknown[] | undefined;
  readonly recording: Pick<RecordingHealth, 'archive'> | undefined;
}

/** The names of the rules about what is not configured. */
export function notConfiguredRules(
  config: Pick<Config, 'metrics' | 'history' | 'rightsizing'>,
  { logons, sources = [], recording }: OwnSubjects,
): ReadonlySet<string> {
  const has: Readonly<Record<Subject, boolean>> = {
    // an analyzer in this process records them too
    denials: hasDenials(config) || recording !== undefined,
    logons: logons !== undefined,
    forecasts: config.rightsizing.enabled,
    sources: sources.length > 0,
    recording: recording !== undefined,
    archive: recording?.archive !== undefined,
  };
  const lacks = (name: string): boolean => {
    const needs = engineAlertOf(name)?.needs;
    return needs !== undefined && !has[needs];
  };
  return new Set(engineNames.filter(lacks));
}

/** How many alerts fire or are pending; `undefined` until the rules have been evaluated. */
export function alertCountsOf(status: EngineStatus): AlertCounts | undefined {
  if (status.lastEvaluation === undefined) return undefined;
  const { critical, warning, info, pending } = countsByClass(status.alerts);
  return { critical, warning, info, pending, withoutData: withoutData(status).length };
}

/** When vendor licenses were collected last, epoch seconds. */
export function collectionTimes(inventory: Inventory | undefined): (vendorLicense: string | undefined) => Figure {
  const known = new Map<string, Figure>(
    inventory?.vendorLicenses.map(({ vendorLicense, collectionTime }) => [vendorLicense, collectionTime]),
  );
  return (vendorLicense = '') => known.get(vendorLicense) ?? unknown;
}

/**
 * What needs attention, for Grafana and the pages; `undefined` until the rules have been evaluated.
 *
 * @param now epoch seconds
 */
export function attentionOf(
  status: EngineStatus,
  inventory: Inventory | undefined,
  now: number,
): Attention | undefined {
  if (status.lastEvaluation === undefined) return undefined;
  const rows = attentionItems({ status, collectedAt: collectionTimes(inventory), now });
  return { rows, withoutData: withoutData(status).length };
}

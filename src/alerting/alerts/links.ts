import { hash } from 'node:crypto';
import { identityLabels } from '../../base/model/alert-labels.ts';
import { labelValue } from '../../base/model/label-value.ts';
import { fingerprint, type Labels } from './alert.ts';

/** Links from an alert to what helps about it. */

/** The id of an alert on the page `/alerts`. */
export const anchorOf = (labels: Labels): string => `alert-${hash('sha256', fingerprint(labels)).slice(0, 16)}`;

/**
 * The link of notifications to an alert. The page shows the alert that its query names, also if it has too many to show all.
 *
 * @param page the URL of the page `/alerts`
 */
export function alertUrl(page: string, labels: Labels): string {
  const anchor = anchorOf(labels);
  return `${page}?alert=${anchor}#${anchor}`;
}

/**
 * The form for a new silence in Alertmanager, filled in for one alert. It silences the alert of Prometheus too, which has the
 * same labels.
 *
 * @param alertmanager its URL for people, without a trailing slash
 * @param analyzer the label of the alert
 */
export function silenceUrl(alertmanager: string, labels: Labels, analyzer: string): string {
  const matchers = [...identityLabels.map((name) => [name, labels[name]]), ['analyzer', analyzer]].flatMap(
    ([name, value]) => (value === undefined ? [] : `${name}=${JSON.stringify(labelValue(value))}`),
  );
  return `${alertmanager}/#/silences/new?filter=${encodeURIComponent(`{${matchers.join(',')}}`)}`;
}

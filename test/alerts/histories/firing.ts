import { type Labels, withoutEmpty } from '../../../src/alerts/alert.ts';
import { MINUTES } from './history.ts';

/** The minutes in which alerts fire, by identity. */
export type Firing = ReadonlyMap<string, Uint8Array>;

/** The labels that identify an alert on both paths. Who sends it is not among them. */
const identityLabels = [
  'alertname',
  'severity',
  'vendor_license',
  'feature',
  'version',
  'package',
  'feature_type',
  'endpoint',
  'license_source',
  'manager',
  'owner',
  'team',
] as const;

/** An alert as a text, without empty labels. */
export const identityOf = (labels: Labels): string =>
  identityLabels
    .map((name) => labels[name] ?? '')
    .join('|')
    .replace(/\|+$/, '');

/** The labels of an identity. */
export const labelsOf = (identity: string): Labels =>
  withoutEmpty(Object.fromEntries(identity.split('|').map((value, i) => [identityLabels[i] ?? '', value])));

/** The minutes of alerts that are recorded one by one. */
export class FiringMinutes {
  readonly #minutes = new Map<string, Uint8Array>();

  add(identity: string, minute: number): void {
    const minutes = this.#minutes.get(identity) ?? new Uint8Array(MINUTES);
    minutes[minute] = 1;
    this.#minutes.set(identity, minutes);
  }

  get all(): Firing {
    return this.#minutes;
  }
}

import type { Figures, Series } from '../../src/analyzer/history/sample.ts';
import type { Recording } from '../../src/analyzer/history/store.ts';

/** The samples that the killed writer records and its test expects. */
export const timeZone = 'Europe/Berlin';
export const origin = 'killed writer';
/** Seconds. A day ends after 24 collections, so that many days are sealed. */
export const INTERVAL = 3600;
/** Midnight in Berlin. */
export const begin = Date.UTC(2026, 8, 30, 22) / 1000;

export const series: readonly Series[] = Array.from({ length: 600 }, (_, s) => ({
  vendorLicense: `server${s % 3};daemon`,
  feature: `feature${s}`,
  package: '',
  featureType: 'feature',
}));

export const figuresAt = (i: number, s: number): Figures => ({
  available: 20,
  inUse: (i * 7 + s) % 20,
  reserved: s % 3,
  users: (i + s) % 5,
  denials: (i + s) % 11 === 0 ? 1 : 0,
});

/** A collection that has only figures. */
export const onlyFigures = (figures: Recording['figures']): Recording => ({
  figures,
  observations: [],
  vendorLicenses: new Set(),
});

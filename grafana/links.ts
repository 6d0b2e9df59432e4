/** Addresses of dashboards, for links of figures, rows and cells. */

export type DashboardUid =
  | 'license-overview'
  | 'license-vendor-license'
  | 'license-feature'
  | 'license-expirations'
  | 'license-optimisation'
  | 'license-exporter'
  | 'license-holders'
  | 'license-archive';

/**
 * Selections that a link hands on. A variable with one value never gets those of a variable with several: Grafana would hand on
 * the whole list, or "all" as if it were a name.
 */
export const KEEP = {
  time: `\${__url_time_range}`,
  vendorLicense: `\${vendor_license:queryparam}`,
  feature: `\${feature:queryparam}`,
  vendorLicenses: `\${vendor_licenses:queryparam}`,
  /** The one vendor license of this dashboard, for a dashboard of several. */
  asSeveral: `var-vendor_licenses=\${vendor_license:percentencode}`,
} as const;

const SOURCES = ['prometheus_datasource', 'infinity', 'job', 'instance'].map((name) => `\${${name}:queryparam}`);

/** The value of a column in the row of a link. */
const cell = (column: string): string => `\${__data.fields["${column}"]:percentencode}`;

/** The address of a dashboard. Data sources, job and instance are always handed on. */
export const linkTo = (uid: DashboardUid, ...kept: readonly string[]): string =>
  `/d/${uid}?${[...SOURCES, ...kept].join('&')}`;

/** One panel of a dashboard, by its title. The generator replaces the title by the id of the panel. */
export const panelOf = (title: string): string => `viewPanel={{${title}}}`;

/** The address of the dashboard for the vendor license, or the feature, of a row. */
export function rowLink(uid: 'license-vendor-license' | 'license-feature', ...kept: readonly string[]): string {
  const feature = uid === 'license-feature' ? [`var-feature=${cell('Feature')}`] : [];
  return linkTo(uid, ...kept, `var-vendor_license=${cell('Vendor license')}`, ...feature);
}

/** The address of what an alert is about: the dashboard is named in the row. */
export const ATTENTION_OF_ROW = linkTo(
  'license-feature',
  `var-vendor_license=${cell('Vendor license')}`,
  `var-feature=${cell('Feature')}`,
).replace('/d/license-feature?', `/d/\${__data.fields["Dashboard"]}?`);

/** The address of the archive, for the names of a row at the site of the row. @param columns of `Vendor license` and `Feature` */
export const archiveLink = (...columns: readonly ('Vendor license' | 'Feature')[]): string =>
  linkTo(
    'license-archive',
    KEEP.time,
    `\${postgresql:queryparam}`,
    `var-analyzer=${cell('Analyzer')}`,
    ...columns.map((column) => `var-${column.toLowerCase().replace(' ', '_')}=${cell(column)}`),
  );

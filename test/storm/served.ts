import { expirationFields } from '../../src/base/query-api/expiration-fields.ts';
import { featureFields } from '../../src/base/query-api/feature-fields.ts';
import type { Fields } from '../../src/base/query-api/field.ts';
import { productFields } from '../../src/base/query-api/product-fields.ts';
import type { Page } from './page.ts';
import { parseAnswer } from './record-faults.ts';

/**
 * The figures that an exporter must show, computed from the answers of the analyzer without the code of the exporter: only
 * which field belongs to which metric is read from the tables of fields. The site has no records that are merged.
 */

type Row = Readonly<Record<string, unknown>>;
type Put = (name: string, labels: Readonly<Record<string, unknown>>, value: unknown) => void;

const PERMANENT = 2_147_483_647;
const UNCOUNTED = 99_999;
/** What has no value in an uncounted record. */
const countedFields: readonly string[] = ['MaxAvailable', 'Available', 'LogAvailable'];

/** Metrics without a sample where they are 0. */
const sparse: readonly string[] = ['license_feature_expired', 'license_feature_expiration_warning'];

/** The value of a sample; `undefined` without one. */
function sampleText(value: unknown, type: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (type === 'expiration' && value === PERMANENT) return '+Inf';
  return String(Number(value));
}

function putFields(fields: Fields, row: Row, labels: Readonly<Record<string, unknown>>, put: Put): void {
  for (const [name, { metric, type }] of Object.entries(fields)) {
    if (metric === 'none' || metric === 'label') continue;
    if (row.MaxAvailable === UNCOUNTED && countedFields.includes(name)) continue;
    const text = sampleText(row[name], type);
    if (text !== '0' || !sparse.includes(metric)) put(metric, labels, text);
  }
}

/** The name in labels: without the qualifier, which no two vendor licenses of the site differ in. */
const nameOf = ({ Product }: Row): string => String(Product).split(';').slice(0, 2).join(';');

const featureLabels = (vendorLicense: string, row: Row) => ({
  vendor_license: vendorLicense,
  feature: row.Feature,
  version: row.Version,
  package: row.Package,
  feature_type: row.FeatureType,
});

function putProduct(product: Row, down: readonly unknown[], put: Put): void {
  const labels = { vendor_license: nameOf(product) };
  const [server, daemon] = labels.vendor_license.split(';');
  put('license_vendor_license_info', { ...labels, server, daemon, owner: '' }, '1');
  const icons = { mapping_icon: product.MappingIcon, expired_icon: product.ExpiredIcon };
  put('license_vendor_license_icon_info', { ...labels, ...icons }, '1');
  put('license_server_up', labels, down.includes(product.Product) ? '0' : '1');
  putFields(productFields, product, labels, put);
}

/** From the ratio on, and for the number of licenses, from which the alert on saturated features begins by default. */
const [SATURATED, LEAST] = [0.95, 2];

/** Saturated features of each vendor license, of those with a share. */
function putSaturated(rows: readonly Row[], put: Put): void {
  const counts = new Map<string, number>();
  for (const { ServerName, Daemon, MaxAvailable, InUse } of rows) {
    const [bought, inUse] = [Number(MaxAvailable ?? Number.NaN), Number(InUse ?? Number.NaN)];
    if (bought === UNCOUNTED || !(bought > 0) || Number.isNaN(inUse)) continue;
    const name = `${ServerName};${Daemon}`;
    counts.set(name, (counts.get(name) ?? 0) + Number(bought >= LEAST && inUse / bought >= SATURATED));
  }
  for (const [name, count] of counts) {
    put('license_vendor_license_saturated_features', { vendor_license: name }, count);
  }
}

/** @param answers newest answer of each request by its path from the endpoint on, as in `GetFeatures?product=%25` */
export function readServed(answers: ReadonlyMap<string, Buffer>): Page['figures'] {
  const figures = new Map<string, string>();
  const put: Put = (name, labels, value) => {
    const text = Object.entries(labels).map(([label, of]) => `${label}="${of ?? ''}"`);
    if (value !== undefined) figures.set(text.length === 0 ? name : `${name}{${text.join(',')}}`, String(value));
  };
  const read = (path: string): unknown => parseAnswer(answers.get(path)?.toString('utf8') ?? 'null');
  put('license_concurrent_users', {}, read('GetConcurrentUsers'));
  const products = read('GetProducts') as readonly Row[];
  const down = (read('GetServerDown') as readonly Row[]).map(({ Label }) => Label);
  for (const product of products) {
    putProduct(product, down, put);
    const path = `GetExpirationFeatures?product=${encodeURIComponent(String(product.Product))}`;
    for (const row of read(path) as readonly Row[])
      putFields(expirationFields, row, featureLabels(nameOf(product), row), put);
  }
  const features = (read('GetFeatures?product=%25') as readonly (readonly Row[])[]).flat();
  putSaturated(features, put);
  for (const row of features) {
    const labels = featureLabels(`${row.ServerName};${row.Daemon}`, row);
    const info = {
      license_type: row.LicenseType,
      license_model: row.LicenseModel,
      token_pool: row.TokenPool,
      token_source: row.TokenSource,
      mapped_to: row.MappedTo,
      owner: '',
    };
    put('license_feature_info', { ...labels, ...info }, '1');
    putFields(featureFields, row, labels, put);
  }
  return figures;
}

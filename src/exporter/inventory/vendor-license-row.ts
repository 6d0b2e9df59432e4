import type { ProductRecord } from '../../base/model/records.ts';
import { type Figure, isKnown, unknown } from '../../base/model/unknown.ts';
import { parseVendorLicense } from '../../base/model/vendor-license.ts';
import type { Field } from '../../base/query-api/field.ts';
import { type ModelRecord, modelName, recordFields } from '../../base/query-api/records.ts';
import { fieldsBut, missingValue, type RowValue } from './row-fields.ts';
import { isFieldWithheld } from './withholding.ts';

const reportedFields = fieldsBut(recordFields.GetProducts, 'identity');
type ReportedFields = ModelRecord<typeof reportedFields>;

/** From GetProducts; not known without a fresh record, and for withheld usage. */
type Reported = { readonly [Name in keyof ReportedFields]: RowValue<ReportedFields[Name]> };

/** A vendor license by its canonical name. */
export interface VendorLicenseRow extends Reported {
  readonly vendorLicense: string;
  readonly server: string;
  readonly daemon: string;
  readonly isReported: boolean;
  /** Whether GetProducts listed it before, and may lack it now because records are unusable. */
  readonly isKept: boolean;
  readonly isWithheld: boolean;
  /** `collectionTime` in the clock of this host, from which ages are computed. The clock of the analyzer can be another one. */
  readonly collectedAt: Figure;
  /** From GetServerDown; `undefined` without a fresh reading, or if a discarded record may have listed it. */
  readonly up: boolean | undefined;
  /** Third parts of the GetServerDown labels of this vendor license. */
  readonly downQualifiers: readonly string[];
}

/** The sources of a row. */
interface VendorLicenseParts {
  readonly vendorLicense: string;
  readonly record: ProductRecord | undefined;
  readonly isKept: boolean;
  readonly up: boolean | undefined;
  readonly downQualifiers: readonly string[];
}

/** @param clockAhead how far the clock of the analyzer is ahead, seconds */
function collectedAt({ collectionTime }: Pick<Reported, 'collectionTime'>, clockAhead: number): Figure {
  return isKnown(collectionTime) ? collectionTime - clockAhead : unknown;
}

const values = Object.entries<Field>(reportedFields).map(([name, { isUsage }]) => ({ name: modelName(name), isUsage }));

/**
 * @param isWithheld whether its usage is withheld
 * @param clockAhead how far the clock of the analyzer is ahead, seconds
 */
export function createVendorLicenseRow(
  { record, ...parts }: VendorLicenseParts,
  isWithheld: boolean,
  clockAhead: number,
): VendorLicenseRow {
  const { server, daemon } = parseVendorLicense(parts.vendorLicense);
  const source = (record ?? {}) as Readonly<Record<string, unknown>>;
  const reported = values.map(({ name, isUsage }) => {
    const value = isFieldWithheld(isUsage, isWithheld) ? undefined : source[name];
    return [name, value ?? missingValue(name)];
  });
  // the names are those of the fields
  const shown = Object.fromEntries(reported) as Reported;
  return {
    ...parts,
    server,
    daemon,
    isReported: record !== undefined,
    isWithheld,
    ...shown,
    collectedAt: collectedAt(shown, clockAhead),
  };
}

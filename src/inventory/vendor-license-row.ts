import type { ProductRecord } from '../model/records.ts';
import { parseVendorLicense } from '../model/vendor-license.ts';
import { type ModelRecord, recordFields } from '../query-api/records.ts';
import { defineFields, fieldsBut } from './record-view.ts';

const reportedFields = fieldsBut(recordFields.GetProducts, 'identity');
type ReportedFields = ModelRecord<typeof reportedFields>;

/** From GetProducts; `undefined` without a fresh record, and for withheld usage. */
type Reported = { readonly [Name in keyof ReportedFields]: ReportedFields[Name] | undefined };

/** A vendor license by its canonical name. */
export interface VendorLicenseRow extends Reported {
  readonly vendorLicense: string;
  readonly server: string;
  readonly daemon: string;
  readonly isReported: boolean;
  /** Whether GetProducts listed it before, and may lack it now because records are unusable. */
  readonly isKept: boolean;
  readonly isWithheld: boolean;
  /** From GetServerDown; `undefined` without a fresh reading, or if a discarded record may have listed it. */
  readonly up: boolean | undefined;
  /** Third parts of the GetServerDown labels of this vendor license. */
  readonly downQualifiers: readonly string[];
}

/** The sources of a row. */
export interface VendorLicenseParts {
  readonly vendorLicense: string;
  readonly record: ProductRecord | undefined;
  readonly isKept: boolean;
  readonly up: boolean | undefined;
  readonly downQualifiers: readonly string[];
}

class VendorLicenseView {
  readonly vendorLicense: string;
  readonly server: string;
  readonly daemon: string;
  readonly up: boolean | undefined;
  readonly downQualifiers: readonly string[];
  readonly isKept: boolean;
  readonly isWithheld: boolean;
  readonly #record: Readonly<Record<string, unknown>> | undefined;

  constructor({ vendorLicense, record, isKept, up, downQualifiers }: VendorLicenseParts, isWithheld: boolean) {
    const { server, daemon } = parseVendorLicense(vendorLicense);
    this.vendorLicense = vendorLicense;
    this.server = server;
    this.daemon = daemon;
    this.up = up;
    this.downQualifiers = downQualifiers;
    this.isKept = isKept;
    this.isWithheld = isWithheld;
    this.#record = record as Readonly<Record<string, unknown>> | undefined;
  }

  get isReported(): boolean {
    return this.#record !== undefined;
  }

  static {
    defineFields(VendorLicenseView.prototype, reportedFields, (row, name) => row.#record?.[name]);
  }
}

/** @param isWithheld whether its usage is withheld */
export const createVendorLicenseRow = (parts: VendorLicenseParts, isWithheld: boolean): VendorLicenseRow =>
  // the fields of GetProducts are getters of the class
  new VendorLicenseView(parts, isWithheld) as VendorLicenseView & VendorLicenseRow;

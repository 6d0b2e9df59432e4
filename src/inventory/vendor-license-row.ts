import type { ProductRecord } from '../model/records.ts';
import { parseVendorLicense } from '../model/vendor-license.ts';
import { recordFields } from '../query-api/records.ts';
import { RecordView } from './record-view.ts';

/** From GetProducts; `undefined` where it has no fresh record, and use that is withheld. */
type Reported = { readonly [K in Exclude<keyof ProductRecord, 'product'>]: ProductRecord[K] | undefined };

/** A vendor license by its canonical name. */
export interface VendorLicenseRow extends Reported {
  readonly vendorLicense: string;
  readonly server: string;
  readonly daemon: string;
  readonly isReported: boolean;
  readonly isWithheld: boolean;
  /** By GetServerDown; `undefined` without a fresh reading, and where records that cannot be read may have listed it. */
  readonly up: boolean | undefined;
  /** Third parts of the GetServerDown labels of this vendor license. */
  readonly downQualifiers: readonly string[];
}

/** What a row is made from. */
export interface VendorLicenseParts {
  readonly vendorLicense: string;
  readonly record: ProductRecord | undefined;
  readonly up: boolean | undefined;
  readonly downQualifiers: readonly string[];
}

class VendorLicenseView extends RecordView {
  readonly vendorLicense: string;
  readonly server: string;
  readonly daemon: string;
  readonly up: boolean | undefined;
  readonly downQualifiers: readonly string[];

  constructor({ vendorLicense, record, up, downQualifiers }: VendorLicenseParts, isWithheld: boolean) {
    super(record, isWithheld);
    const { server, daemon } = parseVendorLicense(vendorLicense);
    this.vendorLicense = vendorLicense;
    this.server = server;
    this.daemon = daemon;
    this.up = up;
    this.downQualifiers = downQualifiers;
  }
}
RecordView.defineFields(VendorLicenseView, recordFields.GetProducts, new Set(['product']));

/** @param isWithheld whether its use is not shown */
export const createVendorLicenseRow = (parts: VendorLicenseParts, isWithheld: boolean): VendorLicenseRow =>
  // the fields of GetProducts are getters of the class
  new VendorLicenseView(parts, isWithheld) as VendorLicenseView & Reported;

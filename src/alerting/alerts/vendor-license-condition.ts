import type { VendorLicenseRow } from '../../exporter/inventory/vendor-license-row.ts';
import type { Finding } from './alert.ts';
import type { Shape, Values } from './alert-settings.ts';
import type { Condition } from './definition.ts';
import { aboutSite, type View } from './rule.ts';
import type { Met } from './site-condition.ts';

/** A condition of each vendor license. @param hasNoData whether nothing is known about any */
export const vendorLicenseCondition =
  <S extends Shape>(
    hasNoData: (view: View) => boolean,
    met: (row: VendorLicenseRow, values: Values<S>, view: View) => Met,
  ): Condition<S> =>
  ({ parametersOf, finding }) =>
  (view) => {
    const unknown = new Set<string>();
    const findings = view.inventory.vendorLicenses.flatMap((row): Finding[] => {
      const { vendorLicense } = row;
      const values = parametersOf({ vendorLicense });
      const result = values.enabled && met(row, values, view);
      if (result === 'unknown') unknown.add(vendorLicense);
      if (result === 'unknown' || result === false) return [];
      return [finding({ vendor_license: vendorLicense }, result, result.value)];
    });
    const isEmpty = hasNoData(view);
    return {
      findings,
      isUnknown: ({ vendor_license = '' }) => isEmpty || unknown.has(vendor_license),
      unknownAbout: isEmpty ? aboutSite(true) : unknown,
      hasNoData: isEmpty,
    };
  };

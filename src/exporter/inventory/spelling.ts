import { parseVendorLicense } from '../../base/model/vendor-license.ts';

/** Whether two arrays have the same items in the same order: records and rows that have not changed are the same objects. */
export const isSameArray = <T>(a: readonly T[], b: readonly T[]): boolean =>
  a === b || (a.length === b.length && a.every((item, i) => item === b[i]));

/** Finds the spelling of GetProducts for the name of a vendor license in any case. */
type Spelling = (vendorLicense: string) => string;

/** @param products the names in GetProducts; the first spelling of a name is used */
export function createSpelling(products: readonly string[]): Spelling {
  const spellings = new Map<string, string>();
  for (const product of products) {
    const { vendorLicense } = parseVendorLicense(product);
    const key = vendorLicense.toLowerCase();
    if (!spellings.has(key)) spellings.set(key, vendorLicense);
  }
  return (vendorLicense) => spellings.get(vendorLicense.toLowerCase()) ?? vendorLicense;
}

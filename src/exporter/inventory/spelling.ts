import { parseVendorLicense } from '../../base/model/vendor-license.ts';

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

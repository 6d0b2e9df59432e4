/** A vendor license in the API: `server;daemon`, with an optional third part (spec 2.1 Product, 2.4 Label). */
interface VendorLicense {
  /** Canonical join key `server;daemon`; the whole string if there are fewer than two parts. */
  readonly vendorLicense: string;
  readonly server: string;
  readonly daemon: string;
  /** Everything after the second part, joined by `;`; empty without one. */
  readonly qualifier: string;
}

/** Splits a Product or Label on `;` and trims the parts. */
export function parseVendorLicense(raw: string): VendorLicense {
  const [server = '', daemon, ...rest] = raw.split(';').map((part) => part.trim());
  if (daemon === undefined) return { vendorLicense: server, server, daemon: '', qualifier: '' };
  return { vendorLicense: `${server};${daemon}`, server, daemon, qualifier: rest.join(';') };
}

/** The same text for all spellings that the API treats as one vendor license. */
export const canonical = (raw: string): string => parseVendorLicense(raw).vendorLicense.toLowerCase();

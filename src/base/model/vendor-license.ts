/**
 * Whether a name of a host or a daemon is only letters, digits, dots, `-` and `_`, and begins with none of `-` and dot: then it is one
 * argument of a tool also where a shell reads it, for instance behind ssh.
 */
export const isPlainName = (name: string): boolean => /^[A-Za-z0-9_][A-Za-z0-9._-]{0,252}$/.test(name);

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

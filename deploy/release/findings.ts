/** Published vulnerabilities of packages that a release contains, and why it is not affected. */

export interface Finding {
  /** Its CVE. */
  readonly id: string;
  /** Its page in the advisory database that `npm audit` reads. */
  readonly advisory: string;
  readonly name: string;
  readonly version: string;
  readonly summary: string;
  /** Why a release is not affected. A test holds it. */
  readonly reason: string;
}

/** A finding that affects a release is no row here: its package is updated or removed. */
export const findings: readonly Finding[] = [
  {
    id: 'CVE-2026-27601',
    advisory: 'https://github.com/advisories/GHSA-qpx9-hpmf-5gmw',
    name: 'underscore',
    version: '1.12.1',
    summary: '`_.flatten` and `_.isEqual` recurse without a limit.',
    reason: 'Never loaded: httpntlm requires it in its HTTP client, of which nothing is used.',
  },
];

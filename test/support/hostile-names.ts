import type { SiteNames } from '../../src/analyzer/simulated/simulated-names.ts';

const products = ['cad', 'mesh', 'solver', 'route', 'timing', 'render', 'flow', 'drc', 'synth', 'viewer'];

/** Names of features that break careless programs. */
const awkward = [
  'sim-NaN',
  'sim-a,feature:b',
  'sim-"quoted"',
  'sim-back\\slash',
  'sim-100%',
  'sim-Größe ✓ 設計',
  'sim- spaced ',
];

/** Vendor licenses with a name of three parts, without a daemon, and with letters beyond ASCII. */
const [THREE_PARTS, WITHOUT_DAEMON, UNICODE] = [2, 5, 6];

const product = (index: number): string => products[index % products.length] ?? '';
const digits = (number: number, length: number): string => String(number).padStart(length, '0');

/** Names that break careless programs among others, for the simulated site of tests. All begin with `sim-`. */
export const hostileNames: SiteNames = {
  vendorLicense: (v) => ({
    server: `sim-${v === UNICODE ? 'größe' : 'lic'}${digits(v + 1, 2)}`,
    daemon: v === WITHOUT_DAEMON ? 'undef' : `sim_${product(v)}d`,
    part: v === THREE_PARTS ? 'sim-site-b' : '',
  }),
  feature: (v, f) => (v === UNICODE ? awkward[f] : undefined) ?? `sim-${product(v + f)}-${f + 1}`,
  product: (v, f) => `sim-${product(v + f)}`,
  suite: (_, isLarge) => (isLarge ? 'sim-suite-pro' : 'sim-suite-lite'),
  tokens: 'sim-tokens',
  group: 'sim-group',
  person: (number) => (number === 7 ? 'sim-jürgen' : `sim-user${digits(number, 3)}`),
  account: (number) => `sim-batch${digits(number, 2)}`,
  workstation: (number) => `sim-ws${digits(number, 3)}`,
  node: (number) => `sim-node${digits(number, 3)}`,
};

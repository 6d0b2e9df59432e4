/** How the simulated site calls things. `v` and `f` count vendor licenses and their features from 0. */
export interface SiteNames {
  vendorLicense(v: number): { readonly server: string; readonly daemon: string; readonly part: string };
  /** Another name for each feature of a vendor license. */
  feature(v: number, f: number): string;
  /** The product that a feature is mapped to. */
  product(v: number, f: number): string;
  /** A package of a vendor license: the larger one, or the smaller one. */
  suite(v: number, isLarge: boolean): string;
  /** The pool of tokens that features of a vendor license take. */
  readonly tokens: string;
  /** The group of users that reservations are for. */
  readonly group: string;
  /** One of 400 users. @param number from 1 on */
  person(number: number): string;
  /** A user that runs jobs. @param number from 1 on */
  account(number: number): string;
  /** The host of a person. @param number from 1 to 250 */
  workstation(number: number): string;
  /** A host that runs jobs. @param number from 1 to 250 */
  node(number: number): string;
}

/** A made-up vendor. Its features are in the order in which the catalogue gives them habits. */
interface Vendor {
  readonly daemon: string;
  readonly prefix: string;
  readonly features: string;
}

/** The tenth feature is uncounted, the twelfth node-locked. The seventh is an old version of the sixth, but for tokens and packages. */
const vendors: readonly Vendor[] = [
  {
    daemon: 'caddsd',
    prefix: 'cad',
    features:
      'standard assembly surface converter pdm_link drafting drafting sheetmetal mold viewer harness admin piping render kinematics milling turning ergonomics tolerance welding',
  },
  {
    daemon: 'mechd',
    prefix: 'mech',
    features:
      'prepost solver nonlinear fatigue explicit optimizer optimizer contact composites report acoustics admin crash thermal dynamics rotor hpc creep modal additive',
  },
  {
    daemon: 'fluidd',
    prefix: 'fluid',
    features:
      'prepost solver turbulence combustion hvac mesher mesher multiphase icing report aero admin radiation particles turbo adjoint hpc marine coupling reduced',
  },
  {
    daemon: 'emsimd',
    prefix: 'em',
    features:
      'tokens antenna signal power_integrity magnetics cable emc radar motor report esd admin waveguide planar charging filter package transient eddy plasma',
  },
  {
    daemon: 'icsuited',
    prefix: 'ic',
    features:
      'suite schematic layout extraction lite simulator waves checker router report floorplan admin analog mixed_signal power noise aging yield photonics memory',
  },
  {
    daemon: 'rtld',
    prefix: 'rtl',
    features:
      'synthesis simulator timing equivalence formal lint lint coverage emulation viewer power admin dft clock_domain constraints ip_library reset upf debug regression',
  },
  {
    daemon: 'pcbd',
    prefix: 'pcb',
    features:
      'layout schematic router library signal drc drc constraint thermal viewer panel admin flex rf assembly variant export cost stackup reuse',
  },
  {
    daemon: 'ctrld',
    prefix: 'ctrl',
    features:
      'designer codegen realtime statechart hil identification identification optimizer fuzzy report symbolic admin vehicle motor battery vision radar network database deploy',
  },
  {
    daemon: 'plmd',
    prefix: 'plm',
    features:
      'author change process quality supplier workflow workflow portfolio service viewer bom admin requirements cost compliance visualization packaging catalog planning test',
  },
  {
    daemon: 'plantd',
    prefix: 'plant',
    features:
      'layout robotics line ergonomics logistics simulation simulation commissioning painting viewer energy admin conveyor welding machining inspection scheduling safety cabling pointcloud',
  },
];

const surnames =
  'adams bauer becker berger braun brown chen clark costa diaz dubois evans ferrari fischer fuchs garcia gruber haas hill hoffmann huber ito jansen jones kaya keller khan kim klein kovacs kumar lang lee lopez maier martin mayer meyer moreau mueller murphy nagy novak patel peters popov ricci rossi sato schmid silva singh smith suzuki tanaka taylor vogel wagner wang weber wolf yilmaz zhang'.split(
    ' ',
  );
const initials = 'ajmsktlc';

const at = <T>(list: readonly T[], index: number): T => list[index % list.length] as T;
const digits = (number: number, length: number): string => String(number).padStart(length, '0');

/** A feature beyond those that a vendor has is another edition of one of them. */
function featureName(v: number, f: number): string {
  const { prefix, features } = at(vendors, v);
  const names = features.split(' ');
  const edition = Math.floor(f / names.length);
  return `${prefix}_${at(names, f)}${edition === 0 ? '' : `_${edition + 1}`}`;
}

/**
 * Names as an engineering company has them. Only the servers are named so that they cannot be taken for real ones: every series and
 * message has one of them.
 */
export const siteNames: SiteNames = {
  vendorLicense: (v) => ({ server: `demo-lic${digits(v + 1, 2)}`, daemon: at(vendors, v).daemon, part: '' }),
  feature: featureName,
  product: (v) => at(vendors, v).prefix,
  suite: (v, isLarge) => featureName(v, isLarge ? 0 : 4),
  tokens: 'em_tokens',
  group: 'core_team',
  person: (number) => {
    // 181 has no divisor in common with the number of names: no two people are alike
    const name = (number * 181) % (initials.length * surnames.length);
    return `${at([...initials], Math.floor(name / surnames.length))}${at(surnames, name)}`;
  },
  account: (number) => `svc_batch${digits(number, 2)}`,
  workstation: (number) => `ws-${digits(number, 4)}`,
  node: (number) => `node${digits(number, 3)}`,
};

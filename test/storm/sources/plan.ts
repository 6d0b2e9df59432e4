import { random, randomInteger } from '../../../src/analyzer/simulated/simulated-random.ts';

/** Which sources there are, and when each of them fails and how. */

export type FaultKind =
  | 'hang'
  | 'slow'
  | 'down'
  | 'daemon_down'
  | 'member_down'
  | 'no_quorum'
  | 'garbage'
  | 'empty'
  | 'cut'
  | 'too_large'
  | 'clock'
  | 'missing'
  | 'not_updated'
  | 'refused'
  | 'protocol'
  | 'crash';

/** Epoch seconds. */
export interface Fault {
  readonly kind: FaultKind;
  readonly from: number;
  readonly to: number;
}

export interface SourcePlan {
  readonly name: string;
  readonly manager: 'flexnet' | 'rlm' | 'json';
  /** `script`: its output is made here; `file`: it is read from a file; `tool`: a process plays the tool. */
  readonly via: 'script' | 'file' | 'tool';
  readonly hosts: readonly string[];
  readonly daemons: readonly string[];
  /** Seconds. */
  readonly interval: number;
  readonly timeout: number;
  /** In order of time, none at the same time as another. */
  readonly faults: readonly Fault[];
}

const script: readonly FaultKind[] = [
  'hang',
  'slow',
  'down',
  'garbage',
  'empty',
  'cut',
  'too_large',
  'clock',
  'missing',
];
const file: readonly FaultKind[] = ['not_updated', 'missing', 'garbage', 'empty', 'cut'];
const tool: readonly FaultKind[] = ['down', 'refused', 'protocol', 'garbage', 'empty', 'crash', 'daemon_down'];

interface Kind extends Pick<SourcePlan, 'manager' | 'via'> {
  readonly hosts: number;
  readonly daemons: number;
  readonly faults: readonly FaultKind[];
}

const flexnet = {
  manager: 'flexnet',
  via: 'script',
  hosts: 1,
  daemons: 1,
  faults: [...script, 'daemon_down'],
} as const;
const rlm = { manager: 'rlm', via: 'script', hosts: 1, daemons: 1, faults: [...script, 'daemon_down'] } as const;
const json = { manager: 'json', via: 'script', hosts: 1, daemons: 1, faults: script } as const;
const triad = { ...flexnet, hosts: 3, faults: [...script, 'member_down', 'no_quorum'] } as const;

/** They take turns. Their number is no multiple of 3 or 5, so that each kind is good, faulty and slow. */
const kinds: readonly Kind[] = [
  { ...flexnet, daemons: 2 },
  { ...rlm, daemons: 2 },
  { ...flexnet, via: 'file', faults: file },
  json,
  triad,
  flexnet,
  { ...json, via: 'file', daemons: 2, faults: file },
  { ...rlm, via: 'file', faults: file },
  { ...flexnet, via: 'tool', faults: tool },
  rlm,
  triad,
  flexnet,
  { ...json, daemons: 2 },
  { ...flexnet, via: 'file', daemons: 2, faults: file },
];

const HOUR = 3600;
const MINUTE = 60;

export interface PlanSize {
  readonly seed: number;
  readonly sources: number;
  /** Epoch seconds. */
  readonly start: number;
  readonly end: number;
  /** Seconds between collections of most sources. */
  readonly interval: number;
}

export function createPlans(size: PlanSize): readonly SourcePlan[] {
  return Array.from({ length: size.sources }, (_, at) => createPlan(at, size));
}

function createPlan(at: number, size: PlanSize): SourcePlan {
  const { manager, via, hosts, daemons, faults } = kinds[at % kinds.length] as Kind;
  const name = `${manager}-${via}-${at}`;
  // one in three is good all the time
  const isGood = at % 3 === 2;
  // the collections of some are still running when the next one is due
  const isSlow = via === 'script' && at % 5 === 1;
  return {
    name,
    manager,
    via,
    hosts: Array.from({ length: hosts }, (_, i) => `lic${at}-${i}.example.com`),
    daemons: Array.from({ length: daemons }, (_, i) => `daemon${i}`),
    interval: size.interval,
    timeout: isSlow ? 1.5 * size.interval : 60,
    faults: isGood ? [] : createFaults(name, faults, size),
  };
}

/** The last hour has none: all of them come back. */
function createFaults(name: string, kindsOfFaults: readonly FaultKind[], { seed, start, end }: PlanSize): Fault[] {
  const faults: Fault[] = [];
  const minutes = (least: number, most: number, why: string): number =>
    MINUTE * randomInteger(least, most, seed, name, why, faults.length);
  for (let from = start + minutes(20, 180, 'first'); ; ) {
    const kind = kindsOfFaults[Math.floor(random(seed, name, 'kind', faults.length) * kindsOfFaults.length)] ?? 'slow';
    const to = from + minutes(3, 150, 'duration');
    if (to > end - HOUR) return faults;
    faults.push({ kind, from, to });
    from = to + minutes(10, 240, 'pause');
  }
}

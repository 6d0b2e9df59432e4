import { randomInteger } from '../../src/analyzer/simulated-random.ts';
import type { Fault, PlannedFault, Scope } from './fault.ts';

/** An act on the account, the connections or the daemon, milliseconds after the start. */
interface Act {
  readonly atMs: number;
  /**
   * `rotate`: the server gets another password; `correct`: the daemon gets it too; `reset`: every connection is reset.
   * `pause`: the process is stopped; `resume`: it goes on. A number: its clock is that many seconds ahead from now on.
   */
  readonly act: 'rotate' | 'correct' | 'reset' | 'pause' | 'resume' | number;
}

/** One storm: the faults, and the limits for their effects. */
export interface Scenario {
  readonly name: string;
  readonly plan: readonly PlannedFault[];
  readonly acts?: readonly Act[];
  /** The plan begins before the daemon is started for the first time. */
  readonly isBrokenAtStart?: boolean;
  /** The daemon has a password that is not the account's. */
  readonly hasWrongPassword?: boolean;
  /** The daemon is started `count` times in total, and killed before each restart. */
  readonly starts?: { readonly count: number; readonly everyMs: number };
  /** Seconds after the last fault within which everything must be right. By default, what decision 30 allows. */
  readonly recoveryLimit?: number;
  /** Samples that are on the page within a poll, and gone when everything is right. */
  readonly shows?: readonly string[];
  /** Beginnings of series of the site that never end. */
  readonly keeps?: readonly string[];
  /** It cannot recover by itself. */
  readonly staysDown?: boolean;
  /** How long the storm is watched at least. */
  readonly runMs?: number;
  readonly logonLimit?: number;
  readonly authRetrySeconds?: number;
  /** `auth_retry` is much shorter than the window in which the account counts bad logons, so it is locked in the end. */
  readonly mayLock?: boolean;
  /** Features and expiries are polled at the start only, and when something happens. */
  readonly rarePolls?: boolean;
  /** How long one request may take. */
  readonly timeoutSeconds?: number;
}

/** How long recovery may take after a stall, resets, or a query that is too slow. */
const A_MINUTE = 60;

const during = (fault: Fault, forMs: number, scope?: Scope): PlannedFault[] => [
  { atMs: 0, forMs, fault, ...(scope !== undefined && { scope }) },
];

/** Forces new logons during the fault: connections that are already logged on would hide its effect on a logon. */
const withoutConnections: readonly Act[] = [{ atMs: 500, act: 'reset' }];

/** One fault after another. */
function inTurn(faults: readonly Fault[], forMs: number, scope?: Scope): PlannedFault[] {
  return faults.map((fault, at) => ({ atMs: at * forMs, forMs, fault, ...(scope !== undefined && { scope }) }));
}

const simple: readonly (readonly [string, Fault])[] = [
  ['delay', { kind: 'delay', ms: 1500 }],
  ['drip', { kind: 'drip', bytes: 32, everyMs: 20 }],
  ['headers byte by byte', { kind: 'loris', everyMs: 50 }],
  ['cut', { kind: 'cut' }],
  ['corrupt', { kind: 'corrupt' }],
  ['no HTTP', { kind: 'garbage' }],
  ['redirect to a login page', { kind: 'redirect' }],
  ['a login page', { kind: 'html' }],
];

const clocks: readonly (readonly [string, number])[] = [
  ['clock set 3 h forward', 10_800],
  ['clock set 2 h back', -7200],
];

const bombs: readonly Fault[] = [
  { kind: 'bomb', shape: 'deep', bytes: 4_000_000 },
  { kind: 'bomb', shape: 'wide', bytes: 12_000_000 },
  { kind: 'bomb', shape: 'endless', bytes: 100_000_000 },
];

const anything: readonly Fault[] = [
  { kind: 'delay', ms: 800 },
  { kind: 'drip', bytes: 32, everyMs: 20 },
  { kind: 'loris', everyMs: 50 },
  { kind: 'cut' },
  { kind: 'corrupt' },
  { kind: 'reset' },
  { kind: 'status', status: 500 },
  { kind: 'status', status: 503, retryAfter: 1 },
  { kind: 'garbage' },
  { kind: 'redirect' },
  { kind: 'html' },
  { kind: 'stall', late: true },
  ...bombs,
];

/** Random faults of all kinds with short pauses between them, drawn from the seed. */
function drawWeather(seed: number, forMs: number): PlannedFault[] {
  const plan: PlannedFault[] = [];
  for (let at = 0; at < forMs; ) {
    const draw = plan.length;
    const fault = anything[randomInteger(0, anything.length - 1, seed, draw, 'fault')];
    const scope = (['all', 'past_challenge', 'GetFeatures', 'GetProducts'] as const)[
      randomInteger(0, 3, seed, draw, 'scope')
    ];
    const lasts = randomInteger(500, 3000, seed, draw, 'for');
    if (fault !== undefined && scope !== undefined) plan.push({ atMs: at, forMs: lasts, fault, scope });
    at += lasts + randomInteger(200, 2500, seed, draw, 'calm');
  }
  return plan;
}

export interface ScenarioOptions {
  readonly seed: number;
  /** `quick`: a few seconds each. `long`: realistic durations. */
  readonly size: 'quick' | 'normal' | 'long';
}

/** Every storm. */
export function createScenarios({ seed, size }: ScenarioOptions): Scenario[] {
  const stallMs = { quick: 12_000, normal: 40_000, long: 150_000 }[size];
  const faultMs = { quick: 6000, normal: 10_000, long: 30_000 }[size];
  const weatherMs = { quick: 20_000, normal: 60_000, long: 480_000 }[size];
  const swallow: Fault = { kind: 'swallow' };
  return [
    { name: 'calm', plan: [], runMs: faultMs },
    {
      name: 'stall behind the logon, answered late',
      plan: during({ kind: 'stall', forwards: true, late: true }, stallMs, 'past_challenge'),
      recoveryLimit: A_MINUTE,
    },
    {
      name: 'stall behind the logon, then a restart',
      plan: during({ kind: 'stall' }, stallMs, 'past_challenge'),
      acts: [{ atMs: stallMs, act: 'reset' }],
      recoveryLimit: A_MINUTE,
    },
    { name: 'stall from the first byte', plan: during({ kind: 'stall' }, stallMs), recoveryLimit: A_MINUTE },
    { name: 'resets for 6 s', plan: during({ kind: 'reset' }, 6000), recoveryLimit: A_MINUTE },
    {
      name: 'resets for 6 s, behind the logon',
      plan: during({ kind: 'reset' }, 6000, 'past_challenge'),
      recoveryLimit: A_MINUTE,
    },
    {
      name: 'only GetFeatures is too slow, from the start',
      plan: during({ kind: 'stall', forwards: true, late: true }, stallMs, 'GetFeatures'),
      isBrokenAtStart: true,
      recoveryLimit: A_MINUTE,
    },
    ...simple.map(([name, fault]): Scenario => ({ name, plan: during(fault, faultMs), acts: withoutConnections })),
    {
      name: '500, 502, 503',
      plan: inTurn(
        [500, 502, 503].map((status) => ({ kind: 'status', status })),
        faultMs / 3,
        'past_challenge',
      ),
      acts: withoutConnections,
      recoveryLimit: A_MINUTE,
    },
    {
      name: '429 and 503 with Retry-After: 3',
      plan: inTurn(
        [429, 503].map((status) => ({ kind: 'status', status, retryAfter: 3 })),
        faultMs / 2,
      ),
      acts: withoutConnections,
      recoveryLimit: A_MINUTE,
    },
    {
      name: '429 without Retry-After',
      plan: during({ kind: 'status', status: 429 }, faultMs),
      acts: withoutConnections,
      recoveryLimit: A_MINUTE,
    },
    {
      name: 'a renamed field in all records',
      plan: during({ kind: 'records', change: 'field' }, faultMs, 'GetFeatures'),
      shows: [
        'license_poll_field_missing{endpoint="GetFeatures",field="InUse"} 1',
        'license_vendor_license_data_known{vendor_license="*",data="usage"} 0',
      ],
      keeps: ['license_vendor_license_info{', 'license_feature_info{', 'license_feature_max_available{'],
    },
    {
      name: 'an unusable product',
      plan: during({ kind: 'records', change: 'unnamed' }, faultMs, 'GetProducts'),
      shows: ['license_poll_incomplete{endpoint="GetProducts"} 1', 'license_data_known{data="vendor_licenses"} 0'],
      keeps: ['license_vendor_license_info{', 'license_feature_info{', 'license_feature_in_use{'],
    },
    {
      name: 'an unusable feature',
      plan: during({ kind: 'records', change: 'unnamed' }, faultMs, 'GetFeatures'),
      shows: [
        'license_poll_incomplete{endpoint="GetFeatures"} 1',
        'license_vendor_license_data_known{vendor_license="*",data="features"} 0',
      ],
      keeps: ['license_vendor_license_info{', 'license_feature_info{'],
    },
    { name: 'bombs', plan: inTurn(bombs, faultMs, 'past_challenge') },
    {
      name: 'verdicts swallowed, 6 starts in 24 s',
      plan: during(swallow, 24_000, 'verdicts'),
      isBrokenAtStart: true,
      starts: { count: 6, everyMs: 4000 },
      recoveryLimit: A_MINUTE,
    },
    {
      name: 'verdicts stalled, 6 starts in 24 s, wrong password',
      plan: during({ kind: 'stall', forwards: true }, 24_000, 'verdicts'),
      isBrokenAtStart: true,
      hasWrongPassword: true,
      // each process ends before its logon times out
      starts: { count: 6, everyMs: 4000 },
      timeoutSeconds: 30,
      staysDown: true,
      logonLimit: 2,
      runMs: 40_000,
    },
    {
      name: 'wrong password from the start',
      plan: [],
      isBrokenAtStart: true,
      hasWrongPassword: true,
      staysDown: true,
      authRetrySeconds: 5,
      mayLock: size === 'long',
      // one logon per auth_retry and a minute
      runMs: size === 'long' ? 140_000 : 15_000,
      logonLimit: size === 'long' ? 3 : 1,
    },
    {
      name: 'password rotated while proven, then corrected',
      plan: [],
      acts: [
        { atMs: 2000, act: 'rotate' },
        { atMs: 2000, act: 'reset' },
        { atMs: 8000, act: 'correct' },
      ],
      runMs: 8000,
    },
    ...clocks.map(
      ([name, act]): Scenario => ({
        name,
        plan: [],
        acts: [{ atMs: 1000, act }],
        rarePolls: true,
        runMs: 1000,
        recoveryLimit: 15,
      }),
    ),
    {
      name: 'paused for several polls',
      plan: [],
      acts: [
        { atMs: 1000, act: 'pause' },
        { atMs: 8000, act: 'resume' },
      ],
      runMs: 8000,
      recoveryLimit: 15,
    },
    {
      name: `weather, seed ${seed}`,
      plan: drawWeather(seed, weatherMs),
      authRetrySeconds: 10,
      recoveryLimit: A_MINUTE + 20,
    },
  ];
}

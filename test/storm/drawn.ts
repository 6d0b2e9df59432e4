import { randomInteger } from '../../src/analyzer/simulated/simulated-random.ts';
import type { Fault, PlannedFault } from './fault.ts';
import { recordChanges } from './record-faults.ts';
import type { Act } from './scenarios.ts';

/** Parts of scenarios that are drawn from the seed. */

export const bombs: readonly Fault[] = [
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
  ...recordChanges.map((change): Fault => ({ kind: 'records', change })),
];

/** Random faults of all kinds with short pauses between them, drawn from the seed. */
export function drawWeather(seed: number, forMs: number): PlannedFault[] {
  const plan: PlannedFault[] = [];
  for (let at = 0; at < forMs; ) {
    const draw = plan.length;
    const fault = anything[randomInteger(0, anything.length - 1, seed, draw, 'fault')];
    const scope = (
      ['all', 'past_challenge', 'GetFeatures', 'GetProducts', 'GetServerDown', 'GetExpirationFeatures'] as const
    )[randomInteger(0, 5, seed, draw, 'scope')];
    const lasts = randomInteger(500, 3000, seed, draw, 'for');
    if (fault !== undefined && scope !== undefined) plan.push({ atMs: at, forMs: lasts, fault, scope });
    at += lasts + randomInteger(200, 2500, seed, draw, 'calm');
  }
  return plan;
}

/** Passwords that change at random moments, on the server and in the daemon, while connections are reset. */
export function drawPasswords(seed: number, forMs: number): Act[] {
  const drawn: Act[] = [];
  for (let atMs = 500; atMs < forMs; atMs += randomInteger(500, 4000, seed, drawn.length, 'until')) {
    const act = (['rotate', 'correct', 'correct', 'mistype'] as const)[randomInteger(0, 3, seed, drawn.length, 'act')];
    if (act !== undefined) drawn.push({ atMs, act });
    // a logon is only sent on a new connection
    drawn.push({ atMs: atMs + 100, act: 'reset' });
  }
  return drawn;
}

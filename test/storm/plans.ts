import type { Fault, PlannedFault, Scope } from './fault.ts';
import type { Act } from './scenarios.ts';

/** Plans that several storms have. */

export const during = (fault: Fault, forMs: number, scope?: Scope): PlannedFault[] => [
  { atMs: 0, forMs, fault, ...(scope !== undefined && { scope }) },
];

/** Forces new logons during the fault: connections that are already logged on would hide its effect on a logon. */
export const withoutConnections: readonly Act[] = [{ atMs: 500, act: 'reset' }];

/** One fault after another. */
export function inTurn(faults: readonly Fault[], forMs: number, scope?: Scope): PlannedFault[] {
  return faults.map((fault, at) => ({ atMs: at * forMs, forMs, fault, ...(scope !== undefined && { scope }) }));
}

export const simple: readonly (readonly [string, Fault])[] = [
  ['delay', { kind: 'delay', ms: 1500 }],
  ['drip', { kind: 'drip', bytes: 32, everyMs: 20 }],
  ['headers byte by byte', { kind: 'loris', everyMs: 50 }],
  ['cut', { kind: 'cut' }],
  ['corrupt', { kind: 'corrupt' }],
  ['no HTTP', { kind: 'garbage' }],
  ['redirect to a login page', { kind: 'redirect' }],
  ['a login page', { kind: 'html' }],
];

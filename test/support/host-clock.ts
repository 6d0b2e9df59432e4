import { uptime } from 'node:os';
import { type Clock, createClock, type Look } from '../../src/base/scheduling/clock.ts';

/** What the exporter logs when it follows. */
export const MOVED = 'the clock of this host was set; nothing is known until the analyzer has answered again';

/** The clock of a host that a test sets. */
export interface HostClock {
  readonly clock: Clock;
  /** Epoch seconds, as the host shows them. */
  now(): number;
  /** Sets the clock of the host by some seconds. */
  set(by: number): void;
  /** Lets time pass, by every clock. */
  pass(seconds: number): void;
}

export function createHostClock(): HostClock {
  let offset = 0;
  let passed = 0;
  const look = (): Look => ({ wall: Date.now() / 1000 + offset + passed, uptime: uptime() + passed });
  return {
    clock: createClock(look),
    now: () => look().wall,
    set: (by) => {
      offset += by;
    },
    pass: (seconds) => {
      passed += seconds;
    },
  };
}

import { uptime } from 'node:os';

/** Differences up to this are not corrected: the `Date` header has whole seconds, and requests take time. Seconds. */
const TOLERANCE = 30;
/** If wall time and time since boot are further apart than this between two looks, the clock was set. Seconds. */
const JUMP = 10;

/** One look at both clocks of this host. */
export interface Look {
  /** Epoch seconds. */
  readonly wall: number;
  /** Seconds since boot. It goes on while the clock is set, and counts sleep. */
  readonly uptime: number;
}

/** The clock of an Alertmanager, as its answers show it. */
export interface ReceiverClock {
  /** Takes the `Date` header of an answer. Without a header that can be read, both clocks count as equal. */
  receive(date: unknown): void;
  /** Whether the difference is not known: before the first answer, and after the clock of this host was set. */
  isUncertain(): boolean;
  /** How far it is ahead of the clock of this host, seconds; 0 up to 30 s, and before the first answer. */
  ahead(): number;
}

const lookNow = (): Look => ({ wall: Date.now() / 1000, uptime: uptime() });

/**
 * Alertmanager compares the end of an alert with its own clock: by a clock that is two hours behind, each alert has ended when it
 * is sent. So its times are sent in the clock of the receiver.
 */
export function createReceiverClock(look: () => Look = lookNow): ReceiverClock {
  let received: (Look & { readonly ahead: number }) | undefined;
  return {
    receive: (date) => {
      const now = look();
      const at = typeof date === 'string' ? Date.parse(date) / 1000 : Number.NaN;
      const ahead = Number.isNaN(at) ? 0 : at - now.wall;
      received = { ...now, ahead: Math.abs(ahead) > TOLERANCE ? ahead : 0 };
    },
    isUncertain: () => {
      if (received === undefined) return true;
      const now = look();
      return Math.abs(now.wall - received.wall - (now.uptime - received.uptime)) > JUMP;
    },
    ahead: () => received?.ahead ?? 0,
  };
}

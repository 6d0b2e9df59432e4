import { type Look, lookNow, movedBetween } from '../../base/scheduling/clock.ts';

/** Differences up to this are not corrected: the `Date` header has whole seconds, and requests take time. Seconds. */
const TOLERANCE = 30;

/** The clock of an Alertmanager, as its answers show it. */
interface ReceiverClock {
  /** Takes the `Date` header of an answer. Without a header that can be read, both clocks count as equal. */
  receive(date: unknown): void;
  /**
   * Whether the difference is not known: before the first answer, and after the clock of this host was set, because an
   * Alertmanager on the same host has that clock.
   */
  isUncertain(): boolean;
  /** How far it is ahead of `now`, seconds; 0 up to 30 s, and before the first answer. */
  ahead(): number;
}

/**
 * Alertmanager compares the end of an alert with its own clock: by a clock that is two hours behind, each alert has ended when it
 * is sent. So its times are sent in the clock of the receiver.
 *
 * @param now the clock of these times, epoch seconds
 */
export function createReceiverClock(now: () => number, look: () => Look = lookNow): ReceiverClock {
  let received: { readonly look: Look; readonly ahead: number } | undefined;
  return {
    receive: (date) => {
      const at = typeof date === 'string' ? Date.parse(date) / 1000 : Number.NaN;
      const ahead = Number.isNaN(at) ? 0 : at - now();
      received = { look: look(), ahead: Math.abs(ahead) > TOLERANCE ? ahead : 0 };
    },
    isUncertain: () => received === undefined || movedBetween(received.look, look()) !== 0,
    ahead: () => received?.ahead ?? 0,
  };
}

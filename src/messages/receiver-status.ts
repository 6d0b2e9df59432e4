/** How the delivery to one receiver goes. Times are epoch seconds. */

/** The state of one receiver, for pages. */
export interface ReceiverStatus {
  readonly receiver: 'email' | 'webhook';
  /** Without secrets: the smarthost, or the origin of the URL. */
  readonly target: string;
  readonly lastSuccess: number | undefined;
  readonly failing: { readonly since: number; readonly reason: string } | undefined;
  /** Messages that are due and not accepted. */
  readonly waiting: number;
}

/** Counts of one receiver. They survive a reload, because a counter must not decrease. */
export interface MessageCounts {
  /** Messages that were accepted. */
  sent: number;
  /** Attempts and addresses that failed. */
  errors: number;
  /** Messages that could not be delivered for too long. */
  dropped: number;
  lastSuccess: number | undefined;
}

export const createMessageCounts = (): MessageCounts => ({ sent: 0, errors: 0, dropped: 0, lastSuccess: undefined });

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

/** Counts of a receiver that has sent nothing yet. */
export const createMessageCounts = (): MessageCounts => ({ sent: 0, errors: 0, dropped: 0, lastSuccess: undefined });

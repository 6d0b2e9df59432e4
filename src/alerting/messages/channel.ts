import type { Labels } from '../alerts/alert.ts';
import type { Notice } from './ledger.ts';
import type { Group } from './message-group.ts';
import type { Frozen, Recipient } from './receiver-state.ts';

/** What messages about one group of alerts are made of. */
export interface GroupContent {
  readonly group: Group;
  readonly notices: readonly Notice[];
  /** Whether it says nothing new. */
  readonly isReminder: boolean;
}

/** A message before it gets a number. */
export interface Draft {
  readonly body: string;
  readonly to: readonly Recipient[];
}

/** An address that did not accept a message. */
export interface RefusedRecipient {
  readonly recipient: Recipient;
  readonly isPermanent: boolean;
  /** One line, without secrets. */
  readonly reason: string;
}

/**
 * The result of sending. Reasons are one line, without secrets. `answer` is what the receiver said, in one line: only the
 * person who tests it sees that, because nobody knows what it repeats.
 */
export type SendOutcome =
  | { readonly is: 'accepted'; readonly refused: readonly RefusedRecipient[]; readonly answer?: string }
  /** Nobody has got it. `isAboutMessage`: others can be accepted. */
  | { readonly is: 'refused'; readonly reason: string; readonly isAboutMessage: boolean; readonly answer?: string }
  /** The answer is missing: the receiver may have it. */
  | { readonly is: 'unknown'; readonly reason: string };

/** One way to people. */
export interface Channel {
  readonly receiver: 'email' | 'webhook';
  /** Without secrets. */
  readonly target: string;
  readonly sendResolved: boolean;
  /** Owners who get messages of their own. */
  readonly owners: readonly string[];
  /** Who gets messages about an alert of their own; `undefined` for all others together. */
  ownerOf(labels: Labels): string | undefined;
  /** @param id for the headers @param at when it is written, epoch seconds */
  writeGroup(content: GroupContent, id: string, at: number): Promise<Draft>;
  /** Never throws. */
  send(message: Frozen, signal: AbortSignal): Promise<SendOutcome>;
  close(): Promise<void>;
}

import type { Labels } from '../alerts/alert.ts';
import type { Channel, GroupContent } from './channel.ts';
import type { ExpiryTexts } from './expiry-mail.ts';
import type { MailContent } from './mail-frame.ts';
import type { GroupKind } from './message-group.ts';
import type { Recipient } from './receiver-state.ts';
import { createLogonHold, type SmtpOptions, sendMail } from './smtp.ts';

/** The mail server, the sender and the recipients of a receiver. */
export interface EmailOptions {
  readonly smtp: SmtpOptions;
  /** An address, or a name with an address in angle brackets. */
  readonly from: string;
  /** Addresses. */
  readonly to: readonly string[];
  /** Addresses by owner. */
  readonly owners: ReadonlyMap<string, readonly string[]>;
  readonly sendResolved: boolean;
  readonly texts: ExpiryTexts;
}

/** What is in the head of a mail. */
interface MailHead {
  readonly from: string;
  readonly to: readonly string[];
  /** Without angle brackets. */
  readonly messageId: string;
  /** Epoch seconds. */
  readonly at: number;
}

/** The text of a mail as it is transmitted. Names cannot add lines to its head: they are encoded. */
async function encodeMail({ subject, text, html, calendar }: MailContent, head: MailHead): Promise<string> {
  // most sites send no mail
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const composer = new MailComposer({
    from: head.from,
    to: [...head.to],
    subject,
    text,
    html,
    date: new Date(head.at * 1000),
    messageId: `<${head.messageId}>`,
    // no answer of a machine to a message of a machine
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
    ...(calendar !== undefined && {
      attachments: [{ filename: 'expiries.ics', content: calendar, contentType: 'text/calendar; charset=utf-8' }],
    }),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return (await composer.compile().build()).toString('latin1');
}

const ADDRESS = /<([^<>]+)>\s*$/;

/** The address itself, without a name. */
const addressOf = (written: string): string => ADDRESS.exec(written)?.[1] ?? written;

/** The addresses of all settings, by owner; an empty text for all others. */
function recipientsOf({ to, owners }: Pick<EmailOptions, 'to' | 'owners'>): ReadonlyMap<string, readonly Recipient[]> {
  const listOf = (setting: string, addresses: readonly string[]): readonly Recipient[] =>
    addresses.map((address, i) => ({ address, setting: `${setting}[${i}]` }));
  return new Map([
    ['', listOf('alerting.email.to', to)],
    ...[...owners].map(([owner, addresses]) => [owner, listOf(`alerting.email.owners.${owner}`, addresses)] as const),
  ]);
}

type MailWriter = (content: GroupContent, at: number, texts: ExpiryTexts) => MailContent;

/** Most sites send no mail: what writes one is loaded with the first. */
const writers: Readonly<Record<GroupKind, () => Promise<MailWriter>>> = {
  alerts: async () => (await import('./group-mail.ts')).groupMail,
  'urgent expiries': async () => (await import('./expiry-mail.ts')).expiryGroupMail,
  digest: async () => (await import('./digest-mail.ts')).digestMail,
};

/** Sends alerts by e-mail. @param now epoch seconds */
export function createEmailChannel(options: EmailOptions, now: () => number): Channel {
  const { smtp, owners, texts } = options;
  const from = addressOf(options.from);
  const recipients = recipientsOf(options);
  const hold = createLogonHold(now);

  const draft = async (content: MailContent, owner: string, id: string, at: number) => {
    const to = recipients.get(owner) ?? recipients.get('') ?? [];
    const head = {
      from: options.from,
      to: to.map(({ address }) => address),
      messageId: `${id}@${from.split('@')[1]}`,
      at,
    };
    return { body: await encodeMail(content, head), to };
  };

  const ownerOf = ({ owner }: Labels): string | undefined =>
    owner !== undefined && owners.has(owner) ? owner : undefined;

  return {
    receiver: 'email',
    target: `${smtp.host}:${smtp.port}`,
    sendResolved: options.sendResolved,
    owners: [...owners.keys()],
    ownerOf,
    writeGroup: async (content, id, at) => {
      const { kind, labels } = content.group;
      return draft((await writers[kind]())(content, at, texts), labels.owner ?? '', id, at);
    },
    send: ({ body, to }, signal) => sendMail(body, { from, to }, smtp, hold, signal),
    close: async () => {},
  };
}

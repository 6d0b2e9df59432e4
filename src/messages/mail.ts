import MailComposer from 'nodemailer/lib/mail-composer';
import type { MailContent } from './mail-frame.ts';

/** What is in the head of a mail. */
export interface MailHead {
  readonly from: string;
  readonly to: readonly string[];
  /** Without angle brackets. */
  readonly messageId: string;
  /** Epoch seconds. */
  readonly at: number;
}

/** The text of a mail as it is transmitted. Names cannot add lines to its head: they are encoded. */
export async function encodeMail({ subject, text, html, calendar }: MailContent, head: MailHead): Promise<string> {
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

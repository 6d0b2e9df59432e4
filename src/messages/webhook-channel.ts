import type { HttpClient } from '../alerts/http-client.ts';
import type { Channel, SendOutcome } from './channel.ts';
import { isExpiry, isForPeople } from './groups.ts';
import { type PayloadOptions, webhookPayload } from './webhook-payload.ts';

export interface WebhookOptions extends PayloadOptions {
  /** It is called for each request, because its file can change. It is a secret. @throws Error that names the problem of the file */
  readonly url: () => string;
  /** The origin of the URL. */
  readonly target: string;
  readonly client: HttpClient;
  readonly sendResolved: boolean;
}

/** Statuses for content that is refused. */
const ABOUT_CONTENT: ReadonlySet<number> = new Set([400, 413, 422]);

/** Sends alerts to a URL, in the format of the webhooks of Alertmanager. */
export function createWebhookChannel(options: WebhookOptions): Channel {
  const { url, target, client } = options;

  const post = async (body: string, id: string, signal: AbortSignal): Promise<SendOutcome> => {
    let address: string;
    try {
      address = url();
    } catch (error) {
      return { is: 'refused', isAboutMessage: false, reason: `alerting.webhook.url_file: ${(error as Error).message}` };
    }
    const answer = await client.post(address, body, { 'idempotency-key': id }, signal);
    if (answer.status === undefined) {
      const reason = `no answer of ${target}: ${answer.reason}`;
      return answer.isSent ? { is: 'unknown', reason } : { is: 'refused', isAboutMessage: false, reason };
    }
    if (answer.status >= 200 && answer.status < 300) return { is: 'accepted', refused: [] };
    // the body can repeat the URL, which is a secret
    const reason = `${target} answered with status ${answer.status}; check alerting.webhook`;
    return { is: 'refused', isAboutMessage: ABOUT_CONTENT.has(answer.status), reason };
  };

  return {
    receiver: 'webhook',
    target,
    sendResolved: options.sendResolved,
    isWanted: isForPeople,
    owners: [],
    // expiries are grouped by owner
    ownerOf: (labels) => (isExpiry(labels) ? labels.owner : undefined),
    // what gets it tells alerts apart by all their labels
    writeGroup: async (content) => ({ body: webhookPayload(content, options), to: [] }),
    writeDigest: undefined,
    send: ({ body, id }, signal) => post(body, id, signal),
    close: () => client.close(),
  };
}

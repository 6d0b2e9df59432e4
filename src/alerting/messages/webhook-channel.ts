import { explainConnection } from '../../base/model/connection-failure.ts';
import { inOneLine } from '../../base/model/operator-error.ts';
import { localTimeText } from '../../base/texts.ts';
import type { Labels } from '../alerts/alert.ts';
import { answerText } from '../alerts/answer-text.ts';
import type { HttpClient } from '../alerts/http-client.ts';
import { alertUrl } from '../alerts/links.ts';
import { ProxyError } from '../alerts/proxy.ts';
import type { Channel, GroupContent, SendOutcome } from './channel.ts';
import type { Notice } from './ledger.ts';
import { isExpiry, isForDigest } from './message-group.ts';

/** Sends messages to a webhook with the payload, version 4, that Alertmanager sends. */

interface PayloadOptions {
  /** Labels of all alerts. */
  readonly commonLabels: Labels;
  /** The page of alerts. */
  readonly generatorUrl: string;
  /** The URL of the daemon for people. */
  readonly externalUrl: string;
  /** The IANA name of the zone of times in texts. */
  readonly timeZone: string;
}

/** The name of the receiver in the payload. */
const RECEIVER = 'license-exporter';
/** The end of an alert that fires, as Go writes it. */
const NO_TIME = '0001-01-01T00:00:00Z';

const OFFSET = 14_695_981_039_346_656_037n;
const PRIME = 1_099_511_628_211n;
const SEPARATOR = 255;

const compare = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);

/** The fingerprint of labels as Prometheus and Alertmanager compute it: FNV-1a, 64 bits. */
function goFingerprint(labels: Labels): string {
  let hash = OFFSET;
  const add = (byte: number): void => {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * PRIME);
  };
  for (const texts of Object.entries(labels).sort(compare)) {
    for (const text of texts) {
      for (const byte of Buffer.from(text)) add(byte);
      add(SEPARATOR);
    }
  }
  return hash.toString(16).padStart(16, '0');
}

/** As Go writes times: without zeros at the end. */
const timestamp = (seconds: number): string => new Date(seconds * 1000).toISOString().replace(/\.?0*Z$/, 'Z');

/** The entries that all maps have. */
function common(maps: readonly Labels[]): Labels {
  const [first = {}, ...others] = maps;
  return Object.fromEntries(
    Object.entries(first).filter(([name, value]) => others.every((map) => map[name] === value)),
  );
}

function alertsOf(notice: Notice, { commonLabels, generatorUrl, timeZone }: PayloadOptions): readonly object[] {
  const labels = { ...commonLabels, ...notice.labels };
  return notice.episodes.map(({ startsAt, state, at, ending }) => ({
    status: state === 'resolved' ? 'resolved' : 'firing',
    labels,
    annotations: {
      ...notice.annotations,
      // for Alertmanager, an alert fires or is resolved; it is not known to be resolved
      ...(state === 'no data' && {
        no_data: `There is no data about this alert any more at ${localTimeText(at, timeZone)}. It is not known whether it is over.`,
      }),
      // it ended for Alertmanager, and is not over
      ...(ending !== undefined && { ending }),
    },
    startsAt: timestamp(startsAt),
    endsAt: state === 'resolved' ? timestamp(at) : NO_TIME,
    generatorURL: alertUrl(generatorUrl, notice.labels),
    fingerprint: goFingerprint(labels),
  }));
}

/** The body of the request about a group. */
function webhookPayload({ group, notices }: GroupContent, options: PayloadOptions): string {
  const alerts = notices.flatMap((notice) => alertsOf(notice, options));
  return JSON.stringify({
    receiver: RECEIVER,
    status: notices.some(({ episodes }) => episodes.at(-1)?.state !== 'resolved') ? 'firing' : 'resolved',
    alerts,
    groupLabels: group.labels,
    commonLabels: common(notices.map(({ labels }) => ({ ...options.commonLabels, ...labels }))),
    commonAnnotations: common(notices.map(({ annotations }) => annotations)),
    externalURL: options.externalUrl,
    version: '4',
    groupKey: group.key,
    truncatedAlerts: 0,
  });
}

/** The URL, its credentials, and what a message may contain. */
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

/** Statuses for a body that is not understood: what chats and pagers answer to the format of Alertmanager. */
const ABOUT_FORMAT: ReadonlySet<number> = new Set([400, 415, 422]);
const URL_SETTINGS = 'alerting.webhook.url, or the file of url_file';

/** What to do about a status that is no success. */
function remedyOf(status: number): string {
  if (status < 400) return `write the address to which it redirects in ${URL_SETTINGS}`;
  if (status === 401 || status === 403) {
    return 'check alerting.webhook.basic_auth or alerting.webhook.authorization, or the secret in the URL';
  }
  if (ABOUT_FORMAT.has(status)) {
    return 'a receiver that does not take the format of Alertmanager needs an Alertmanager, or a relay for it, in between';
  }
  if (status === 413) return 'let it accept larger requests';
  if (status === 429) return 'it limits the number of requests; raise alerting.group_interval';
  return status < 500 ? `check ${URL_SETTINGS}` : 'check its log';
}

/** Why there is no answer, with the remedy. */
function noAnswer(target: string, { reason, error }: { readonly reason: string; readonly error: unknown }): string {
  const { code } = error as { code?: unknown };
  const peer = { name: target, url: 'alerting.webhook.url', tls: 'alerting.webhook.tls_config' };
  const why = error instanceof ProxyError ? undefined : explainConnection(code, error, peer);
  return `no answer of ${target}: ${why === undefined ? reason : inOneLine(why)}`;
}

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
      const reason = noAnswer(target, answer);
      return answer.isSent ? { is: 'unknown', reason } : { is: 'refused', isAboutMessage: false, reason };
    }
    const { status } = answer;
    const said = answerText(status, answer.text);
    if (status >= 200 && status < 300) return { is: 'accepted', refused: [], answer: said };
    // the body can repeat the URL, which is a secret
    const reason = `${target} answered with status ${status}; ${remedyOf(status)}`;
    return { is: 'refused', isAboutMessage: ABOUT_CONTENT.has(status), reason, answer: `${said}; ${remedyOf(status)}` };
  };

  return {
    receiver: 'webhook',
    target,
    sendResolved: options.sendResolved,
    owners: [],
    ownerOf: (labels) => (isExpiry(labels) || isForDigest(labels) ? labels.owner : undefined),
    // what gets it tells alerts apart by all their labels
    writeGroup: async (content) => ({ body: webhookPayload(content, options), to: [] }),
    send: ({ body, id }, signal) => post(body, id, signal),
    close: () => client.close(),
  };
}

import type { Labels } from './alert.ts';
import { createAgent, failureReason, type HttpOptions, oneLine } from './http-client.ts';
import { createReceiverClock } from './receiver-clock.ts';

/** How to reach one Alertmanager. */
interface AlertmanagerOptions extends HttpOptions {
  /** Scheme, host, port and path prefix, without a trailing slash. */
  readonly url: string;
  /** The clock of the times that are sent, epoch seconds. */
  readonly now: () => number;
}

/** The result of a request. `reason` is one line. */
export type Outcome =
  | { readonly is: 'accepted' }
  /** The alerts are refused, and would be refused again. */
  | { readonly is: 'rejected'; readonly status: number; readonly reason: string }
  /** The Alertmanager cannot be reached or has an error. The same request can succeed later. */
  | {
      readonly is: 'failed';
      readonly status: number | undefined;
      readonly reason: string;
      /** Why there is no answer. */
      readonly error?: unknown;
    };

/** An alert stored in Alertmanager. Times are epoch seconds. */
export interface KnownAlert {
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly startsAt: number;
}

/** One Alertmanager, to which alerts are posted and from which they are restored. */
export interface Alertmanager {
  readonly url: string;
  /**
   * `POST /api/v2/alerts`. Never throws.
   *
   * @param write the body; its times are `ahead` seconds later than those of this host, so that they are in the clock of the
   *   Alertmanager
   */
  post(write: (ahead: number) => string, signal?: AbortSignal): Promise<Outcome>;
  /** `GET /api/v2/status`: whether it is an Alertmanager that accepts the logon. Never throws. */
  status(): Promise<Exclude<Outcome, { readonly is: 'rejected' }>>;
  /** `GET /api/v2/alerts` with the labels as filters; times are in the clock of this host. @throws Error in one line */
  known(labels: Labels): Promise<readonly KnownAlert[]>;
  close(): Promise<void>;
}

/** Requests to one Alertmanager that run at once. */
export const CONNECTIONS = 8;
/** Statuses for invalid alerts. */
const ABOUT_CONTENT: ReadonlySet<number> = new Set([400, 413, 422]);
/** Maximum size of a response in bytes. */
const MAX_ANSWER = 64 * 2 ** 20;

/** The error of an Alertmanager: a JSON string, or an object with a message. What a proxy answers is reported unchanged. */
function reasonOf(status: number, body: string): string {
  const answer = jsonOf(body);
  const { message } = (answer ?? {}) as { message?: unknown };
  const text = [answer, message].find((each) => typeof each === 'string' && each !== '') ?? body;
  return oneLine(text === '' ? `status ${status}` : `status ${status}: ${text}`);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const textsOf = (value: unknown): Labels =>
  Object.fromEntries(Object.entries(value ?? {}).filter(([, text]) => typeof text === 'string'));

/** A client of the API v2 of one Alertmanager, with its own connections. */
export function createAlertmanager(options: AlertmanagerOptions): Alertmanager {
  const { url, timeout } = options;
  const { pathname, origin } = new URL(url);
  const api = `${pathname.replace(/\/+$/, '')}/api/v2`;
  const agent = createAgent(options, CONNECTIONS);
  const clock = createReceiverClock(options.now);

  const ask = async (resource: string, body?: string, signal?: AbortSignal) => {
    const limit = AbortSignal.timeout(timeout * 1000);
    const authorization = options.authorization();
    const answer = await agent.request({
      origin,
      path: `${api}${resource}`,
      method: body === undefined ? 'GET' : 'POST',
      body: body ?? null,
      headers: {
        'user-agent': options.userAgent,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(authorization !== undefined && { authorization }),
      },
      signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
    });
    clock.receive(answer.headers.date);
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_ANSWER) throw new Error(`the answer is larger than ${MAX_ANSWER} bytes`);
      chunks.push(chunk);
    }
    return { status: answer.statusCode, text: Buffer.concat(chunks).toString() };
  };
  const noAnswer = (error: unknown) =>
    ({ is: 'failed', status: undefined, reason: failureReason(error, timeout), error }) as const;

  return {
    url,
    post: async (write, signal) => {
      try {
        // a wrong time would end the alerts
        if (clock.isUncertain()) await ask('/status', undefined, signal);
        const { status, text } = await ask('/alerts', write(clock.ahead()), signal);
        if (status >= 200 && status < 300) return { is: 'accepted' };
        return { is: ABOUT_CONTENT.has(status) ? 'rejected' : 'failed', status, reason: reasonOf(status, text) };
      } catch (error) {
        return noAnswer(error);
      }
    },
    status: async () => {
      try {
        const { status, text } = await ask('/status');
        if (status !== 200) return { is: 'failed', status, reason: reasonOf(status, text) };
        const isStatus = /^\s*\{/.test(text) && text.includes('"versionInfo"');
        return isStatus ? { is: 'accepted' } : { is: 'failed', status, reason: 'the answer is not its status' };
      } catch (error) {
        return noAnswer(error);
      }
    },
    known: async (labels) => {
      const filters = Object.entries(labels).map(
        ([name, value]) => `filter=${encodeURIComponent(`${name}=${JSON.stringify(value)}`)}`,
      );
      try {
        const { status, text } = await ask(`/alerts?${filters.join('&')}`);
        if (status !== 200) throw new Error(reasonOf(status, text));
        const alerts: unknown = JSON.parse(text);
        if (!Array.isArray(alerts)) throw new Error('the answer is not a list of alerts');
        return alerts.flatMap((alert: Record<string, unknown>) => {
          const startsAt = Date.parse(String(alert?.startsAt)) / 1000 - clock.ahead();
          if (Number.isNaN(startsAt)) return [];
          return [{ labels: textsOf(alert.labels), annotations: textsOf(alert.annotations), startsAt }];
        });
      } catch (error) {
        throw new Error(failureReason(error, timeout), { cause: error });
      }
    },
    close: () => agent.destroy(),
  };
}

import { clockAhead, type Look, lookNow, movedBetween } from '../../base/scheduling/clock.ts';
import { oneLine } from './answer-text.ts';
import { createConnections, type HttpOptions } from './http-client.ts';

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
      received = { look: look(), ahead: clockAhead(date, now()) };
    },
    isUncertain: () => received === undefined || movedBetween(received.look, look()) !== 0,
    ahead: () => received?.ahead ?? 0,
  };
}

/** How to reach one Alertmanager. */
interface AlertmanagerOptions extends HttpOptions {
  /** Scheme, host, port and path prefix, without a trailing slash. */
  readonly url: string;
  /** The clock of the times that are sent, epoch seconds. */
  readonly now: () => number;
}

/** The result of a request. `reason` is one line. */
export type Outcome =
  | { readonly is: 'accepted'; readonly status?: number }
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

/** One Alertmanager, to which alerts are posted. */
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

/** A client of the API v2 of one Alertmanager, with its own connections. */
export function createAlertmanager(options: AlertmanagerOptions): Alertmanager {
  const { url, timeout } = options;
  const { pathname, origin } = new URL(url);
  const api = `${pathname.replace(/\/+$/, '')}/api/v2`;
  const connections = createConnections(options, CONNECTIONS);
  const clock = createReceiverClock(options.now);

  const ask = async (resource: string, body?: string, signal?: AbortSignal) => {
    const limit = AbortSignal.timeout(timeout * 1000);
    const authorization = options.authorization();
    const answer = await connections.request(origin, `${api}${resource}`, {
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
    return { status: answer.statusCode, text: connections.withoutLogon(Buffer.concat(chunks).toString(), origin) };
  };
  const noAnswer = (error: unknown) =>
    ({ is: 'failed', status: undefined, reason: connections.reasonOf(error, origin), error }) as const;

  return {
    url,
    post: async (write, signal) => {
      try {
        // a wrong time would end the alerts
        if (clock.isUncertain()) await ask('/status', undefined, signal);
        const { status, text } = await ask('/alerts', write(clock.ahead()), signal);
        if (status >= 200 && status < 300) return { is: 'accepted', status };
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
    close: () => connections.close(),
  };
}

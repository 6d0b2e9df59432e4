import { Readable } from 'node:stream';
import { Agent, buildConnector } from 'undici';
import { type ClientTls, tlsOptions } from '../../base/model/client-tls.ts';
import { openFilesProblem } from '../../base/model/operator-error.ts';

/** How to reach a receiver over HTTP. */
export interface HttpOptions {
  /** Seconds. */
  readonly timeout: number;
  /** The value of the Authorization header. It is called for each request, so that a new password is used at once. */
  readonly authorization: () => string | undefined;
  readonly tls: ClientTls;
  readonly userAgent: string;
}

/** Longest reason, in characters. */
const MAX_REASON = 300;
/** Bytes of an answer that are read, so that its connection can be used again. */
const MAX_ANSWER = 65_536;

/** A text on one line, shortened. */
export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim().slice(0, MAX_REASON);

/** Why a request got no answer, in a few words. @param timeout seconds */
export function failureReason(error: unknown, timeout: number): string {
  const { name, code, message, cause } = error as Error & { code?: string; cause?: Error & { code?: string } };
  if (name === 'TimeoutError') return `no answer within ${timeout} s`;
  if (name === 'AbortError') return 'canceled, because the program is stopping';
  return oneLine(openFilesProblem(error) ?? code ?? cause?.code ?? message);
}

/** Connections of their own. */
export const createAgent = ({ timeout, tls }: Pick<HttpOptions, 'timeout' | 'tls'>, connections: number): Agent =>
  new Agent({
    connections,
    connect: (target, callback) =>
      buildConnector({ timeout: timeout * 1000, allowH2: false, ...tlsOptions(tls) })(target, callback),
  });

/** The answer to a request, or why no answer arrived. */
type HttpAnswer =
  | { readonly status: number }
  /** `isSent`: the receiver may have got the request. */
  | { readonly status: undefined; readonly reason: string; readonly isSent: boolean };

/** Posts to receivers over connections that are kept. */
export interface HttpClient {
  /** Posts JSON. Never throws. */
  post(url: string, body: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<HttpAnswer>;
  close(): Promise<void>;
}

/** A client that sends one request at a time. */
export function createHttpClient(options: HttpOptions): HttpClient {
  const { timeout, authorization, userAgent } = options;
  const agent = createAgent(options, 1);
  return {
    post: async (url, text, headers, signal) => {
      let isSent = false;
      const body = Buffer.from(text);
      const content = new Readable({
        read() {
          isSent = true;
          this.push(body);
          this.push(null);
        },
      });
      try {
        const { origin, pathname, search } = new URL(url);
        const credentials = authorization();
        const answer = await agent.request({
          origin,
          path: `${pathname}${search}`,
          method: 'POST',
          body: content,
          headers: {
            ...headers,
            'user-agent': userAgent,
            'content-type': 'application/json',
            'content-length': String(body.length),
            ...(credentials !== undefined && { authorization: credentials }),
          },
          signal: AbortSignal.any([AbortSignal.timeout(timeout * 1000), signal]),
        });
        await answer.body.dump({ limit: MAX_ANSWER }).catch(() => undefined);
        return { status: answer.statusCode };
      } catch (error) {
        return { status: undefined, reason: failureReason(error, timeout), isSent };
      }
    },
    close: () => agent.destroy(),
  };
}

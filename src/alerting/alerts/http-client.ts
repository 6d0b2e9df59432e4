import { Readable } from 'node:stream';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { type ClientTls, tlsOptions } from '../../base/model/client-tls.ts';
import { openFilesProblem } from '../../base/model/operator-error.ts';
import { hideSecrets, oneLine } from './answer-text.ts';
import { ProxyError, proxyFor, schemesOf } from './proxy.ts';
import type { ProxyConfig } from './proxy-settings.ts';

/** How to reach a receiver over HTTP. */
export interface HttpOptions {
  /** Seconds. */
  readonly timeout: number;
  /** The value of the Authorization header. It is called for each request, so that a new password is used at once. */
  readonly authorization: () => string | undefined;
  readonly tls: ClientTls;
  readonly userAgent: string;
  /** `undefined` without a proxy. */
  readonly proxy: ProxyConfig | undefined;
}

/** Bytes of an answer that are read, so that its connection can be used again. */
const MAX_ANSWER = 65_536;

/** Why a request got no answer, in a few words. @param timeout seconds */
function failureReason(error: unknown, timeout: number): string {
  const { name, code, message, cause } = error as Error & { code?: string; cause?: Error & { code?: string } };
  if (error instanceof ProxyError) return message;
  if (name === 'TimeoutError') return `no answer within ${timeout} s`;
  if (name === 'AbortError') return 'canceled, because the program is stopping';
  return oneLine(openFilesProblem(error) ?? code ?? cause?.code ?? message);
}

/** A request, without its address. */
type RequestOptions = Pick<Dispatcher.RequestOptions, 'method' | 'body' | 'signal'> & {
  readonly headers: Readonly<Record<string, string>>;
};

/** Connections to receivers that are kept, directly or through a proxy. */
interface Connections {
  /** @param path with the query @throws Error, a ProxyError if the proxy is the cause */
  request(origin: string, path: string, options: RequestOptions): Promise<Dispatcher.ResponseData>;
  /** The text of an answer without the logon of the proxy, which a proxy can repeat. */
  withoutLogon(text: string, origin: string): string;
  /** Why a request got no answer, in one line without secrets. */
  reasonOf(error: unknown, origin: string): string;
  close(): Promise<void>;
}

/** Connections of their own. @param connections at most, to one server */
export function createConnections(
  options: Pick<HttpOptions, 'timeout' | 'tls' | 'proxy'>,
  connections: number,
): Connections {
  const { timeout, tls } = options;
  const proxyOf = proxyFor(options.proxy);

  const agent = new Agent({
    connections,
    connect: (target, callback) => {
      const isTls = target.protocol === 'https:';
      const connectDirectly = (httpSocket?: buildConnector.Options['httpSocket']): void =>
        buildConnector({ timeout: timeout * 1000, allowH2: false, ...tlsOptions(tls) })(
          httpSocket === undefined ? target : { ...target, httpSocket },
          callback,
        );
      const url = new URL(`${target.protocol}//${target.host ?? target.hostname}`);
      const connect = async (): Promise<void> => {
        const proxy = proxyOf(url);
        if (proxy === undefined) return connectDirectly();
        if (isTls) connectDirectly(await proxy.tunnel(url, options));
        else callback(null, await proxy.connect(options));
      };
      connect().catch((error: Error) => callback(error, null));
    },
  });

  return {
    request: async (origin, path, { headers, ...request }) => {
      const target = new URL(origin);
      const proxy = target.protocol === 'http:' ? proxyOf(target) : undefined;
      if (proxy === undefined) return agent.request({ origin, path, headers, ...request });
      const answer = await agent.request({
        origin,
        path: `${origin}${path}`,
        headers: {
          ...headers,
          ...(proxy.authorization !== undefined && { 'proxy-authorization': proxy.authorization }),
        },
        ...request,
      });
      if (answer.statusCode !== 407) return answer;
      await answer.body.dump({ limit: MAX_ANSWER }).catch(() => undefined);
      throw proxy.refusal(answer.statusCode, schemesOf(answer.headers['proxy-authenticate']), target);
    },
    withoutLogon: (text, origin) => {
      const target = new URL(origin);
      return hideSecrets(text, target, proxyOf(target)?.authorization);
    },
    reasonOf: (error, origin) => {
      const reason = failureReason(error, timeout);
      if ((error as Error).name !== 'TimeoutError') return reason;
      try {
        const proxy = proxyOf(new URL(origin));
        return proxy === undefined ? reason : `${reason} through ${proxy.name}`;
      } catch {
        return reason;
      }
    },
    close: () => agent.destroy(),
  };
}

/** The answer to a request, or why no answer arrived. */
type HttpAnswer =
  /** `text`: the beginning of the body, without what was a secret of the request. */
  | { readonly status: number; readonly text: string }
  /** `isSent`: the receiver may have got the request. */
  | { readonly status: undefined; readonly reason: string; readonly isSent: boolean; readonly error: unknown };

/** Posts to receivers over connections that are kept. */
export interface HttpClient {
  /** Posts JSON. Never throws. */
  post(url: string, body: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<HttpAnswer>;
  close(): Promise<void>;
}

/** The beginning of a body; as much of it as arrives. */
async function beginningOf(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > MAX_ANSWER) break;
    }
  } catch {
    // the status has been read: the rest says no more about what became of the request
  }
  return Buffer.concat(chunks).toString();
}

/** A client that sends one request at a time. */
export function createHttpClient(options: HttpOptions): HttpClient {
  const { timeout, authorization, userAgent } = options;
  const connections = createConnections(options, 1);
  return {
    post: async (url, text, headers, signal) => {
      let isSent = false;
      let origin = '';
      const body = Buffer.from(text);
      const content = new Readable({
        read() {
          isSent = true;
          this.push(body);
          this.push(null);
        },
      });
      try {
        const target = new URL(url);
        origin = target.origin;
        const credentials = authorization();
        const answer = await connections.request(origin, `${target.pathname}${target.search}`, {
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
        const answered = await beginningOf(answer.body);
        const shown = connections.withoutLogon(hideSecrets(answered, target, credentials), origin);
        return { status: answer.statusCode, text: shown };
      } catch (error) {
        const reason = connections.reasonOf(error, origin);
        return { status: undefined, reason, isSent: isSent && !(error instanceof ProxyError), error };
      }
    },
    close: () => connections.close(),
  };
}

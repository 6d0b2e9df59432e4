import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendText } from './page-answers.ts';
import type { Viewer } from './trusted-proxy.ts';

/** The reload of the configuration over HTTP. */
export interface Reload {
  /** `web.enable_lifecycle`, which a reload can change. */
  isEnabled(): boolean;
  /** Reloads the configuration. Resolves with the reason if the new one is rejected. */
  run(): Promise<string | undefined>;
}

const DISABLED = 'Reloading over HTTP is disabled; start with --web.enable-lifecycle, or send SIGHUP.';
const CROSS_SITE = 'A page of another site must not reload the configuration.';
const ANONYMOUS =
  'Only a user of the web config can reload the configuration, or without users a client that connects to localhost.';

/** @param viewer the authenticated user, if there is one */
export async function handleReload(
  { isEnabled, run }: Reload,
  request: FastifyRequest,
  reply: FastifyReply,
  viewer: Viewer | undefined,
): Promise<FastifyReply> {
  const refusal = isEnabled() ? refusalOf(request, viewer) : DISABLED;
  if (refusal !== undefined) return sendText(reply, 403, refusal);
  const reason = await run();
  return reason === undefined ? sendText(reply, 200, 'Reloaded.') : sendText(reply, 500, `Not reloaded: ${reason}`);
}

function refusalOf(request: FastifyRequest, viewer: Viewer | undefined): string | undefined {
  if (isCrossSite(request)) return CROSS_SITE;
  // to read pages is all that a proxy lets its users do
  const mayReload = viewer === undefined ? isLocal(request) : !viewer.isProxied;
  return mayReload ? undefined : ANONYMOUS;
}

/** Whether a browser sends it for a page of another site. Over plain HTTP, browsers send only `Origin`. */
function isCrossSite({ headers }: FastifyRequest): boolean {
  const { host, origin, 'sec-fetch-site': site } = headers;
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  return origin !== undefined && (!URL.canParse(origin) || new URL(origin).host !== host);
}

/**
 * Whether the client connects to a loopback address, and by a name that is always local: the name of a page whose DNS entry
 * was changed to 127.0.0.1 is not.
 */
function isLocal({ hostname, socket }: FastifyRequest): boolean {
  const isLoopback = /^(::1$|(::ffff:)?127\.)/.test(socket.localAddress ?? '');
  return isLoopback && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

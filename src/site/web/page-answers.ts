import type { FastifyInstance, FastifyReply } from 'fastify';
import { assets } from '../../base/html/assets.ts';

/** What pages are sent with, and what they load. */

/** Nothing runs or loads that is not a file of the daemon. Names of license files can contain anything. */
const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; " +
  "base-uri 'none'; frame-ancestors 'none'";

/** Sends a page. The headers of the web config take precedence. */
export function sendPage(reply: FastifyReply, page: string): FastifyReply {
  const headers = {
    'content-security-policy': POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    'cache-control': 'no-store',
  };
  for (const [name, value] of Object.entries(headers)) if (!reply.hasHeader(name)) reply.header(name, value);
  return reply.header('content-type', 'text/html; charset=utf-8').send(page);
}

/** How long browsers may keep an asset, seconds. */
const ASSET_AGE = 30 * 86_400;

/** Serves the files that pages load. Browsers keep them until the version changes. */
export async function serveAssets(app: FastifyInstance): Promise<void> {
  for (const [name, { type, content }] of Object.entries(assets)) {
    app.get(`/${name}`, async (_, reply) =>
      reply
        .header('content-type', type)
        .header('x-content-type-options', 'nosniff')
        .header('cache-control', `private, max-age=${ASSET_AGE}, immutable`)
        .send(content),
    );
  }
}

/** Sends one line of text: what programs and people without a page get. */
export const sendText = (reply: FastifyReply, status: number, line: string): FastifyReply =>
  reply.code(status).header('content-type', 'text/plain; charset=utf-8').send(`${line}\n`);

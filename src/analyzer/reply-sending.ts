import type { ServerResponse } from 'node:http';
import { OWN_ANALYZER, OWN_HEADER } from '../query-api/own-server.ts';
import type { Reply } from './reply.ts';

/** Maximum time to send a response. */
const MAX_SEND_MS = 5 * 60_000;

/** Body bytes. */
export const sizeOf = ({ body }: Reply): number => body.reduce((sum, piece) => sum + piece.length, 0);

/**
 * Sends as fast as the client reads. Resolves when all is sent, or the connection is closed.
 *
 * @param idleMs the connection is closed if the client reads nothing for this time
 */
export async function sendReply(response: ServerResponse, made: Reply, idleMs: number): Promise<void> {
  const { status, body, type, headers } = made;
  // Node closes the connection if nothing was read for this time, and sets another timeout for the next request
  response.socket?.setTimeout(idleMs);
  const cutting = setTimeout(() => response.destroy(), MAX_SEND_MS);
  response.on('close', () => clearTimeout(cutting));
  const contentType = type === undefined ? {} : { 'content-type': type };
  response.writeHead(status, {
    ...contentType,
    [OWN_HEADER]: OWN_ANALYZER,
    'content-length': sizeOf(made),
    ...headers,
  });
  for (const piece of body) {
    if (response.write(piece) || response.destroyed) continue;
    await new Promise<void>((resolve) => {
      const go = (): void => {
        response.off('drain', go).off('close', go);
        resolve();
      };
      response.on('drain', go).on('close', go);
    });
  }
  response.end();
}

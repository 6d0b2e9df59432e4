import type { ServerResponse } from 'node:http';
import type { Reply } from './reply.ts';

/** An answer that is not taken by then is cut off. */
const MAX_SEND_MS = 5 * 60_000;

/** Body bytes. */
export const sizeOf = ({ body }: Reply): number => body.reduce((sum, piece) => sum + piece.length, 0);

/**
 * Sends as fast as the client reads, and resolves when it has it all, or the connection is gone.
 *
 * @param idleMs a client that takes not a byte for so long is cut off
 */
export async function sendReply(response: ServerResponse, made: Reply, idleMs: number): Promise<void> {
  const { status, body, type, headers } = made;
  // node closes the connection when not a byte was taken for so long, and sets another time-out for the next request
  response.socket?.setTimeout(idleMs);
  const cutting = setTimeout(() => response.destroy(), MAX_SEND_MS);
  response.on('close', () => clearTimeout(cutting));
  const contentType = type === undefined ? {} : { 'content-type': type };
  response.writeHead(status, { ...contentType, 'content-length': sizeOf(made), ...headers });
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

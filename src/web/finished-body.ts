import type { ServerResponse } from 'node:http';
import { CHUNK } from './body-chunks.ts';

/**
 * Sends finished bytes without joining them. The system gets one chunk at a time, and the next one when it has taken the
 * last: a slow client is noticed, and holds no memory but the shared bytes. Ends early if the client disconnects.
 */
export function sendFinished(response: ServerResponse, buffers: readonly Uint8Array[]): void {
  let index = 0;
  let at = 0;
  const send = (): void => {
    for (let buffer = buffers[index]; buffer !== undefined; buffer = buffers[index]) {
      const chunk = at === 0 && buffer.length <= CHUNK ? buffer : buffer.subarray(at, at + CHUNK);
      at += CHUNK;
      if (at >= buffer.length) {
        index += 1;
        at = 0;
      }
      if (index === buffers.length) response.end(chunk);
      else if (chunk.length > 0 && !response.write(chunk)) {
        response.once('drain', send);
        return;
      }
    }
  };
  if (buffers.length === 0) response.end();
  else send();
}

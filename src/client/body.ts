import type { Dispatcher } from 'undici';
import { answerFault } from '../decoding/answer-faults.ts';
import { type BodyLimits, refuse, refuseStructure } from '../decoding/body-limits.ts';
import { JsonScan } from '../decoding/json-scan.ts';

type Incoming = Pick<Dispatcher.ResponseData, 'headers' | 'body'>;

/** The bytes received so far. They are observed even if the request fails. */
export interface Received {
  bytes: number;
}

/** Error codes of a connection that ends during an answer. */
const cutCodes: ReadonlySet<unknown> = new Set(['UND_ERR_SOCKET', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'ECONNRESET']);

/** The buffer of a body grows by at most this much beyond the bytes received. */
const GROWTH = 1024 * 1024;

/** Collects a body in a buffer that grows in place, because joining many megabytes at the end would block. */
async function collect({ headers, body }: Incoming, limits: BodyLimits, received: Received): Promise<Buffer> {
  const announced = Number(headers['content-length'] ?? 0);
  const memory = new ArrayBuffer(0, { maxByteLength: limits.size });
  const bytes = new Uint8Array(memory);
  const scan = new JsonScan(limits);
  for await (const chunk of body as AsyncIterable<Buffer>) {
    const at = received.bytes;
    const head = at === 0 ? chunk : Buffer.from(memory);
    received.bytes += chunk.byteLength;
    if (Math.max(received.bytes, announced) > limits.size) {
      throw refuse(head, 'ANSWER_TOO_LARGE', `limit of ${limits.source}: ${limits.size} bytes`);
    }
    const passed = scan.push(chunk);
    if (passed !== undefined) throw refuseStructure(head, limits, passed);
    if (received.bytes > memory.byteLength) memory.resize(Math.min(received.bytes + GROWTH, limits.size));
    bytes.set(chunk, at);
  }
  memory.resize(received.bytes);
  const whole = Buffer.from(memory);
  if (scan.isOpen) throw refuse(whole, 'ANSWER_INCOMPLETE');
  return whole;
}

/**
 * Reads a body, and checks its size and structure as it arrives, before anything is decoded. If the body is refused, the
 * connection is closed and the rest is not read.
 *
 * @throws QueryError of kind `too_large`, `parse`, or `connect` when the connection ends too early
 */
export async function readBody(response: Incoming, limits: BodyLimits, received: Received): Promise<Buffer> {
  try {
    const encoding = String(response.headers['content-encoding'] ?? '').trim();
    if (!/^(identity)?$/i.test(encoding)) throw answerFault('ANSWER_COMPRESSED', 'by its Content-Encoding');
    return await collect(response, limits, received);
  } catch (error) {
    // destroying a body that is not being read yet emits an error
    response.body.on('error', () => undefined).destroy();
    const { code } = error as { code?: unknown };
    throw cutCodes.has(code) ? answerFault('ANSWER_CUT', `after ${received.bytes} bytes, ${code}`, error) : error;
  }
}

import type { Socket } from 'node:net';
import { type Fault, replacement } from './fault.ts';
import { headerOf, type Message } from './message-reader.ts';
import { changeRecords } from './record-faults.ts';

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export interface AnswerWriterOptions {
  /** In [0, 1). */
  readonly random: () => number;
  /** Called with the status after the whole head was sent to the client. */
  readonly onStatusSent: (status: number) => void;
}

const statusOf = (head: Buffer): number => Number(head.toString('latin1', 9, 12));

/** Zeros are never valid JSON. A changed digit would be a wrong figure that no check can detect. */
function corrupt(body: Buffer, random: () => number): Buffer {
  const corrupted = Buffer.from(body);
  for (let i = 0; i < 1 + body.length / 200; i += 1) corrupted[Math.floor(random() * corrupted.length)] = 0;
  return corrupted;
}

async function writePieces(client: Socket, bytes: Buffer, size: number, everyMs: number): Promise<void> {
  for (let at = 0; at < bytes.length && client.writable; at += size) {
    client.write(bytes.subarray(at, at + size));
    await pause(everyMs);
  }
}

/** Waits until the client accepts more data or disconnects. */
function waitForRoom(client: Socket): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      client.off('drain', go).off('close', go);
      resolve();
    };
    client.on('drain', go).on('close', go);
  });
}

async function writeEndless(client: Socket, bytes: number): Promise<void> {
  const piece = Buffer.from('{"Product":"a;b","MaxAvailable":1},'.repeat(2000));
  for (let sent = 0; sent < bytes && client.writable; sent += piece.length) {
    if (!client.write(piece)) await waitForRoom(client);
  }
  client.destroy();
}

/** Sends the answer of the server, as the fault changes it. Resolves when it is sent or the client has disconnected. */
export async function writeAnswer(
  client: Socket,
  { head, body }: Message,
  fault: Fault | undefined,
  { random, onStatusSent }: AnswerWriterOptions,
): Promise<void> {
  const reportStatus = (status: number): void => {
    if (client.writable) onStatusSent(status);
  };
  const other = fault === undefined ? undefined : replacement(fault);
  if (fault !== undefined && other !== undefined) {
    client.write(other);
    if (fault.kind !== 'garbage') reportStatus(statusOf(other));
    if (fault.kind === 'bomb' && fault.shape === 'endless') await writeEndless(client, fault.bytes);
    else if (fault.kind === 'garbage') client.end();
    return;
  }
  switch (fault?.kind) {
    case 'delay':
      await pause(fault.ms * (0.5 + random()));
      break;
    case 'drip':
      client.write(head);
      reportStatus(statusOf(head));
      await writePieces(client, body, fault.bytes, fault.everyMs);
      return;
    case 'loris':
      await writePieces(client, head, 1, fault.everyMs);
      reportStatus(statusOf(head));
      client.write(body);
      return;
    case 'cut': {
      const all = Buffer.concat([head, body]);
      const at = Math.floor(random() * all.length);
      client.write(all.subarray(0, at));
      if (at >= head.length) reportStatus(statusOf(head));
      await pause(5);
      client.destroy();
      return;
    }
    case 'corrupt':
      client.write(Buffer.concat([head, corrupt(body, random)]));
      reportStatus(statusOf(head));
      return;
    case 'records': {
      const changed = changeRecords(body, fault.change);
      const text = head.toString('latin1').replace(/^content-length:.*$/im, `Content-Length: ${changed.length}`);
      client.write(Buffer.concat([Buffer.from(text, 'latin1'), changed]));
      reportStatus(statusOf(head));
      return;
    }
    case 'swallow':
      client.destroy();
      return;
    default:
      break;
  }
  client.write(Buffer.concat([head, body]));
  reportStatus(statusOf(head));
  if (headerOf(head, 'connection')?.toLowerCase() === 'close') client.end();
}

import { connect } from 'node:net';
import { answerParent } from '../child.ts';
import type { CpuTime } from './daemon.ts';

/** Receives an HTTP answer with bare `net`: what any client must spend to get the bytes into the process. */

const cpuTime = ({ user, system }: NodeJS.CpuUsage): number => user + system;

function receive(url: string): Promise<number> {
  const { hostname, port, pathname, search } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let bytes = 0;
    let expected = Number.POSITIVE_INFINITY;
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      if (bytes === 0) {
        const head = chunk.subarray(0, chunk.indexOf('\r\n\r\n') + 4).toString('latin1');
        expected = head.length + Number(/content-length: (\d+)/i.exec(head)?.[1]);
      }
      bytes += chunk.length;
      if (bytes < expected) return;
      socket.destroy();
      resolve(bytes);
    });
    socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
  });
}

const methods = {
  /** Processor time of one answer, microseconds. */
  receive: async (url: string): Promise<CpuTime> => {
    const all = process.cpuUsage();
    const main = process.threadCpuUsage();
    await receive(url);
    return { all: cpuTime(process.cpuUsage(all)), main: cpuTime(process.threadCpuUsage(main)) };
  },
};

export type ReceiverMethods = typeof methods;

answerParent(methods);

import type { Socket } from 'node:net';

/** Work on one connection, one piece at a time in the order it came. */
export interface Turns {
  /** Returns false without taking the work if too much is waiting on the connection. `work` must not reject. */
  take(socket: Socket, work: () => Promise<void>): boolean;
}

/**
 * Clients may send requests without waiting for the answers; the HTTP parser hands over all that has arrived. The next
 * one starts when the previous one is answered, unless the connection is closed by then.
 *
 * @param maxWaiting how many may wait on a connection behind the one that is worked on
 */
export function createTurns(maxWaiting: number): Turns {
  const queues = new WeakMap<Socket, (() => Promise<void>)[]>();

  const run = async (socket: Socket, queue: (() => Promise<void>)[]): Promise<void> => {
    for (let work = queue[0]; work !== undefined && !socket.destroyed; work = queue[0]) {
      await work();
      queue.shift();
    }
    queues.delete(socket);
  };

  return {
    take: (socket, work) => {
      const queue = queues.get(socket);
      if (queue !== undefined && queue.length > maxWaiting) return false;
      if (queue !== undefined) {
        queue.push(work);
        return true;
      }
      const first = [work];
      queues.set(socket, first);
      void run(socket, first);
      return true;
    },
  };
}

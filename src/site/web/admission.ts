/** Admits requests, queues them, or refuses them. There are limits in total and for each peer address. */

/** How much work one client and all clients together may cause. */
export interface AdmissionLimits {
  /** Maximum number of requests that are served at the same time. */
  readonly work: number;
  readonly workPerAddress: number;
  /** Maximum number of requests in the queue. */
  readonly waiting: number;
  readonly waitingPerAddress: number;
}

/** `full`: the queue is full. `late`: the deadline passed in the queue. */
export type Decision = 'admitted' | 'full' | 'late';

/** Decides which requests are served now, which wait, and which are refused. */
export interface Admission {
  /**
   * Requests admission. `decide` is called exactly once, immediately or later, unless the caller leaves before. It must
   * not call this object.
   *
   * @param deadline in the unit of `expire`: when waiting ends
   * @returns a function that leaves the queue, or ends the work. Calling it again has no effect
   */
  enter(address: string, deadline: number, decide: (decision: Decision) => void): () => void;
  /** Refuses requests whose deadline has passed. */
  expire(at: number): void;
}

interface Peer {
  readonly address: string;
  working: number;
  readonly queue: Entry[];
}

interface Entry {
  readonly peer: Peer;
  readonly deadline: number;
  readonly decide: (decision: Decision) => void;
  state: 'waiting' | 'working' | 'over';
}

/**
 * A queue that is fair to addresses. They take turns. If the queue is full, a new request replaces the newest request of the
 * address with the most requests in it. Many requests of one peer therefore delay only that peer.
 */
export function createAdmission(limits: AdmissionLimits): Admission {
  /** Addresses in the order of their turns. */
  const peers = new Map<string, Peer>();
  let working = 0;
  let waiting = 0;

  const begin = (entry: Entry): void => {
    entry.state = 'working';
    entry.peer.working += 1;
    working += 1;
    entry.decide('admitted');
  };

  const refuse = (entry: Entry, decision: Decision): void => {
    entry.state = 'over';
    entry.decide(decision);
  };

  const forget = (peer: Peer): void => {
    if (peer.working === 0 && peer.queue.length === 0) peers.delete(peer.address);
  };

  const hasRoom = (peer: Peer): boolean => working < limits.work && peer.working < limits.workPerAddress;

  /** Removes the next request from the queue. Its address then has the last turn. */
  const next = (): Entry | undefined => {
    for (const peer of peers.values()) {
      if (peer.queue.length === 0 || !hasRoom(peer)) continue;
      waiting -= 1;
      peers.delete(peer.address);
      peers.set(peer.address, peer);
      return peer.queue.shift();
    }
    return undefined;
  };

  const advance = (): void => {
    for (let entry = next(); entry !== undefined; entry = next()) begin(entry);
  };

  const makePlace = (newcomer: Peer): boolean => {
    if (newcomer.queue.length >= limits.waitingPerAddress) return false;
    if (waiting < limits.waiting) return true;
    let longest = newcomer;
    for (const peer of peers.values()) if (peer.queue.length > longest.queue.length) longest = peer;
    if (longest.queue.length <= newcomer.queue.length + 1) return false;
    const last = longest.queue.pop();
    waiting -= 1;
    if (last !== undefined) refuse(last, 'full');
    return true;
  };

  const leave = (entry: Entry): void => {
    const { peer, state } = entry;
    if (state === 'over') return;
    entry.state = 'over';
    if (state === 'waiting') {
      peer.queue.splice(peer.queue.indexOf(entry), 1);
      waiting -= 1;
    } else {
      peer.working -= 1;
      working -= 1;
    }
    forget(peer);
    advance();
  };

  return {
    enter: (address, deadline, decide) => {
      const peer = peers.get(address) ?? { address, working: 0, queue: [] };
      peers.set(address, peer);
      const entry: Entry = { peer, deadline, decide, state: 'waiting' };
      // nothing in the queue can be admitted now, otherwise it would have been before
      if (hasRoom(peer)) begin(entry);
      else if (makePlace(peer)) {
        peer.queue.push(entry);
        waiting += 1;
      } else refuse(entry, 'full');
      forget(peer);
      return () => leave(entry);
    },
    expire: (at) => {
      for (const peer of [...peers.values()]) {
        const late = peer.queue.filter(({ deadline }) => deadline <= at);
        if (late.length === 0) continue;
        peer.queue.splice(0, Number.POSITIVE_INFINITY, ...peer.queue.filter(({ deadline }) => deadline > at));
        waiting -= late.length;
        forget(peer);
        for (const entry of late) refuse(entry, 'late');
      }
    },
  };
}

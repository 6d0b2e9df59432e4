/** Places for the connections of peers. Many of one peer, or of many peers that prove nothing, do not keep the others out. */

interface PlaceLimits {
  readonly total: number;
  readonly perPeer: number;
}

/** Who wants a place. */
export interface Newcomer {
  /** What counts as one peer. */
  readonly peer: string;
  /** It is of this host: it never loses its place, and only the total limits how many there are. */
  readonly isOwn: boolean;
  /** Closes the connection, because another one gets its place. */
  readonly drop: () => void;
}

/** A place that is taken. */
export interface Place {
  /** A connection that is at work is dropped after those that are not. */
  isBusy: boolean;
  /** Its user is known: it is not dropped, and its peer always gets a place from now on. */
  prove(): void;
  /** The connection is closed. Calling it again has no effect. */
  leave(): void;
}

interface Taken extends Place {
  readonly isSafe: () => boolean;
  readonly drop: () => void;
}

/** Peers that are remembered because a user of them is known. */
const MAX_PROVEN = 1000;

/** Gives places to connections; `undefined` if all are taken. */
export function createPeerPlaces({ total, perPeer }: PlaceLimits): (newcomer: Newcomer) => Place | undefined {
  /** The places of each peer, the oldest first. */
  const peers = new Map<string, Set<Taken>>();
  /** Peers of known users, the latest last. */
  const proven = new Set<string>();
  let taken = 0;

  const remember = (peer: string): void => {
    proven.delete(peer);
    proven.add(peer);
    const [oldest] = proven;
    if (proven.size > MAX_PROVEN && oldest !== undefined) proven.delete(oldest);
  };

  const unsafeOf = (places: Iterable<Taken>): readonly Taken[] => [...places].filter((place) => !place.isSafe());

  /** Drops one of these, which are not safe. */
  const dropOne = (places: readonly Taken[]): boolean => {
    const victim = places.find(({ isBusy }) => !isBusy) ?? places[0];
    victim?.leave();
    victim?.drop();
    return victim !== undefined;
  };

  /** Those of the peer that has most of them. */
  const mostUnsafe = (): readonly Taken[] => {
    let most: readonly Taken[] = [];
    for (const places of peers.values()) {
      if (places.size <= most.length) continue;
      const unsafe = unsafeOf(places);
      if (unsafe.length > most.length) most = unsafe;
    }
    return most;
  };

  /** Whether there is room, or was made. */
  const hasRoom = (own: ReadonlySet<Taken>, { peer, isOwn }: Newcomer): boolean => {
    const always = isOwn || proven.has(peer);
    if (own.size >= perPeer && !isOwn) return always && dropOne(unsafeOf(own));
    if (taken < total) return true;
    const most = mostUnsafe();
    // a peer with as many gets no place of another one
    return (always || most.length > own.size + 1) && dropOne(most);
  };

  return (newcomer) => {
    const { peer, isOwn, drop } = newcomer;
    if (!hasRoom(peers.get(peer) ?? new Set(), newcomer)) return undefined;
    const places = peers.get(peer) ?? new Set();
    peers.set(peer, places);
    let isProven = false;
    const place: Taken = {
      isBusy: false,
      isSafe: () => isOwn || isProven,
      drop,
      prove: () => {
        isProven = true;
        remember(peer);
      },
      leave: () => {
        if (!places.delete(place)) return;
        taken -= 1;
        if (places.size === 0 && peers.get(peer) === places) peers.delete(peer);
      },
    };
    places.add(place);
    taken += 1;
    return place;
  };
}

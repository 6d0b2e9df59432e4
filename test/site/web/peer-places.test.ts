import { describe, expect, it } from 'vitest';
import { createPeerPlaces, type Place } from '../../../src/site/web/connections.ts';

/** Connections of peers, and which of them were dropped. */
function start(limits: { total: number; perPeer: number }) {
  const enter = createPeerPlaces(limits);
  const dropped: string[] = [];
  let count = 0;
  return {
    dropped,
    enter: (peer: string, isOwn = false): Place | undefined => {
      count += 1;
      const name = `${peer}${count}`;
      return enter({ peer, isOwn, drop: () => dropped.push(name) });
    },
  };
}

describe('the places of connections', () => {
  it('are limited for each peer', () => {
    const { enter } = start({ total: 10, perPeer: 2 });
    expect([enter('a'), enter('a'), enter('a'), enter('b')].map((place) => place !== undefined)).toEqual([
      true,
      true,
      false,
      true,
    ]);
  });

  it('of the peer with most of them go to one with fewer: the oldest that is not at work', () => {
    const { enter, dropped } = start({ total: 6, perPeer: 3 });
    const places = Array.from({ length: 3 }, () => enter('a'));
    for (let i = 0; i < 3; i += 1) enter('b');
    const [first] = places;
    if (first !== undefined) first.isBusy = true;
    expect(enter('scraper')).toBeDefined();
    expect(dropped).toEqual(['a2']);
    // one with as many gets none of another's
    const { enter: fair, dropped: kept } = start({ total: 2, perPeer: 2 });
    fair('a');
    fair('b');
    expect([fair('c'), kept]).toEqual([undefined, []]);
  });

  it('are there for peers of known users and for this host, however many peers there are', () => {
    const { enter, dropped } = start({ total: 3, perPeer: 3 });
    enter('scraper')?.prove();
    for (const peer of ['x', 'y']) enter(peer);
    expect(enter('z')).toBeUndefined();
    expect(enter('own', true)).toBeDefined();
    expect(enter('scraper')).toBeDefined();
    expect(dropped).toEqual(['x2', 'y3']);
    // what is proven or of this host is never dropped, and the total holds
    expect(enter('own', true)).toBeDefined();
    expect(dropped).toEqual(['x2', 'y3', 'scraper6']);
    expect(enter('own', true)).toBeUndefined();
  });

  it('are free again when a connection is closed, once', () => {
    const { enter } = start({ total: 1, perPeer: 1 });
    const place = enter('a');
    place?.leave();
    place?.leave();
    expect(enter('b')).toBeDefined();
    expect(enter('c')).toBeUndefined();
  });
});

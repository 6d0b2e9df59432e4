import type { LogLine } from './waiting-site.ts';

/** What one log says of the people who wait, by brute force: every line is compared with every other. */

export interface RefereedWait {
  readonly feature: string;
  readonly person: string;
  readonly from: number;
  readonly to: number;
  readonly ended: 'got' | 'gave_up' | 'lost';
}

/** The person of `CORP\alice@ws1` or `alice@ws1`. */
const personOf = (client: string): string => (client.toLowerCase().split('@')[0] ?? '').replace(/^.*\\/, '');

/** @param lines of FlexNet, in their order */
export function refereeWaits(lines: readonly LogLine[]): readonly RefereedWait[] {
  const told = lines.flatMap(({ stamp, text }) => {
    const [, what, feature = '', client = ''] = /(DENIED|OUT): "([^"]+)" (\S+)/.exec(text) ?? [];
    return what === undefined ? [] : [{ stamp, what, feature: feature.toLowerCase(), person: personOf(client) }];
  });
  const waits: RefereedWait[] = [];
  for (const [, own] of Map.groupBy(told, ({ feature, person }) => `${feature} ${person}`)) {
    const outs = own.filter(({ what }) => what === 'OUT').map(({ stamp }) => stamp);
    const isVoid = (at: number): boolean => outs.some((out) => out >= at && out - at <= 5);
    const { feature, person } = own[0] ?? { feature: '', person: '' };
    let open: { from: number; to: number } | undefined;
    const end = (ended: RefereedWait['ended'], to: number): void => {
      if (open !== undefined) waits.push({ feature, person, from: open.from, to, ended });
      open = undefined;
    };
    for (const { stamp, what } of own) {
      if (open !== undefined && what === 'DENIED' && stamp - open.to > 900) end('gave_up', open.to);
      if (what === 'OUT') {
        if (open !== undefined && stamp - open.to > 900) end('gave_up', open.to);
        else end('got', stamp);
      } else if (!isVoid(stamp)) open = { from: open?.from ?? stamp, to: stamp };
    }
    const last = lines.at(-1)?.stamp ?? 0;
    if (open !== undefined) end(last - open.to > 900 ? 'gave_up' : 'lost', open.to);
  }
  return waits;
}

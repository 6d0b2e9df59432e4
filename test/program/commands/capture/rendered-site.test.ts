import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLocalTime } from '../../../../src/base/model/local-time.ts';
import type { CaptureSection } from '../../../../src/program/commands/capture/capture-file.ts';
import { createLargeSite } from '../../../support/license-site/large-site.ts';
import { randomFlexnetSite } from '../../../support/license-site/random-flexnet-site.ts';
import { randomRlmSite } from '../../../support/license-site/random-rlm-site.ts';
import { renderLmstat, renderLmstatInventory } from '../../../support/license-site/render-lmstat.ts';
import { renderRlmstat } from '../../../support/license-site/render-rlmstat.ts';
import type { Site } from '../../../support/license-site/site.ts';
import { capture, captured, lmstatOf, rlmOf, sectionOf, withoutNames } from './captured.ts';
import { leaksIn, personalNames } from './leaks.ts';

/** A site is rendered as text, lines of the text are changed, and the capture of it has the same shape and no name. */

const utc = createLocalTime('UTC');

/** What happens to a line. `word` and `place` are fractions of what there is. */
interface Change {
  readonly kind: 'cut' | 'cut_begin' | 'insert' | 'swap' | 'line' | 'glue' | 'upper' | 'remove';
  readonly line: number;
  readonly word: number;
  readonly place: number;
}

const fraction = fc.double({ min: 0, max: 0.999, noNaN: true });
const changes = fc.array(
  fc.record({
    kind: fc.constantFrom<Change['kind']>('cut', 'cut_begin', 'insert', 'swap', 'line', 'glue', 'upper', 'remove'),
    line: fraction,
    word: fraction,
    place: fraction,
  }),
  { maxLength: 12 },
);

const pick = <T>(list: readonly T[], at: number): T | undefined => list[Math.floor(at * list.length)];

/** Applies changes to the lines of a text; inserted words are names of the site, and words of the tools. */
function changed(text: string, names: readonly string[], list: readonly Change[]): string {
  const lines = text.split('\n');
  const inserted = [...names, 'license', 'start', 'v', 'in', 'Users of', '(', ')', '"', '12345'];
  for (const { kind, line, word, place } of list) {
    const at = Math.floor(line * lines.length);
    const old = lines[at] ?? '';
    const to = Math.floor(place * old.length);
    const name = pick(inserted, word) ?? '';
    const words = old.split(' ');
    const spot = Math.floor(place * words.length);
    if (kind === 'cut') lines[at] = old.slice(0, to);
    if (kind === 'cut_begin') lines[at] = old.slice(to);
    if (kind === 'insert') lines[at] = [...words.slice(0, spot), name, ...words.slice(spot)].join(' ');
    if (kind === 'glue') lines[at] = `${old.slice(0, to)}@${name}:${old.slice(to)}`;
    if (kind === 'swap') lines[at] = words.toReversed().join(' ');
    if (kind === 'line') lines.splice(at, 0, `${name}: of ${pick(inserted, place)} (was here) ${name.toUpperCase()}/7`);
    if (kind === 'upper') lines[at] = old.toUpperCase();
    if (kind === 'remove') lines.splice(at, 1);
  }
  return lines.join('\n');
}

/** A site whose users, hosts and holders have names that are not part of anything else. */
function named<S extends Site>(site: S, style: (kind: string, at: number) => string): S {
  const known = new Map<string, string>();
  const rename = (kind: string, name: string): string => {
    const key = `${kind} ${name}`;
    known.set(key, known.get(key) ?? style(kind, known.size));
    return known.get(key) ?? '';
  };
  const who = <T extends { user: string; host: string; display: string }>(one: T): T => {
    const host = rename('host', one.host);
    const display = one.display.startsWith(one.host) ? host + one.display.slice(one.host.length) : one.display;
    return { ...one, user: rename('user', one.user), host, display: /^[:/]|^Java|^$/.test(display) ? display : host };
  };
  const [first, ...others] = site.servers.map((server) => ({ ...server, host: rename('server', server.host) }));
  return {
    ...site,
    servers: [first, ...others],
    daemons: site.daemons.map((daemon) => ({
      ...daemon,
      features: daemon.features.map((feature) => ({
        ...feature,
        pools: feature.pools.map((pool) => ({
          ...pool,
          reservations: pool.reservations.map((one) => ({ ...one, holder: rename('holder', one.holder) })),
          checkouts: pool.checkouts.map(who),
          queued: pool.queued.map(who),
        })),
      })),
    })),
  };
}

const NAMES = ['quagmire', 'Zebedee', 'WOLFRAM', 'mjölnir', 'k.ppel', 'van-der-berg', 'o_hara', 'x9q', 'CORP\\pqr'];
/** Every name has letters that no word of a tool or a feature has. */
const personal = (kind: string, at: number): string => `${NAMES[at % NAMES.length]}${kind === 'user' ? 'w' : 'q'}${at}`;
const numeric = (kind: string, at: number): string => (kind === 'user' ? String(4_711_000 + at) : `jq${7000 + at}.zz`);
const spaced = (kind: string, at: number): string => (kind === 'user' ? `Joqqe ${NAMES[at % 5]} W${at}` : `kq${at}`);

describe('a capture of FlexNet', () => {
  it('gives the same report as the output, apart from names', () => {
    fc.assert(
      fc.property(randomFlexnetSite, (site) => {
        const text = renderLmstat(site, utc);
        expect(withoutNames(lmstatOf(captured('lmstat', text)))).toEqual(withoutNames(lmstatOf(text)));
      }),
    );
  });

  it('gives the same report of a large site, whose stand-ins have more digits', () => {
    const text = renderLmstat(createLargeSite({ features: 30, users: 100, now: 1_800_000_000 }), utc);
    expect(withoutNames(lmstatOf(captured('lmstat', text)))).toEqual(withoutNames(lmstatOf(text)));
  });

  it.each([
    ['of letters', personal],
    ['of digits', numeric],
    ['with blanks', spaced],
  ])('has no name %s, with any mistakes in its lines', (_, style) => {
    fc.assert(
      fc.property(randomFlexnetSite, changes, (random, list) => {
        const site = named(random, style);
        const names = personalNames(site);
        const text = changed(renderLmstat(site, utc), names, list);
        const header = { servers: site.servers.map(({ host, port }) => `${port}@${host}`) };
        const sections: CaptureSection[] = [
          sectionOf('lmstat', text),
          sectionOf('inventory', changed(renderLmstatInventory(site, utc), names, list)),
          { input: 'lmstat', stream: 'stderr', text: changed(text, names, list).slice(0, 2000) },
        ];
        expect(leaksIn(capture(sections, header).file, names)).toEqual([]);
      }),
    );
  });

  it('understands as many lines of a changed output as the parser', () => {
    fc.assert(
      fc.property(randomFlexnetSite, changes, (random, list) => {
        const site = named(random, personal);
        const text = changed(renderLmstat(site, utc), [], list);
        expect(withoutNames(lmstatOf(captured('lmstat', text)))).toEqual(withoutNames(lmstatOf(text)));
      }),
    );
  });
});

describe('a capture of RLM', () => {
  it('gives the same report as the output, apart from names', () => {
    fc.assert(
      fc.property(randomRlmSite, (site) => {
        const text = renderRlmstat(site, utc);
        expect(withoutNames(rlmOf(captured('rlmstat', text, { manager: 'rlm' })))).toEqual(withoutNames(rlmOf(text)));
      }),
    );
  });

  it.each([
    ['of letters', personal],
    ['of digits', numeric],
    ['with blanks', spaced],
  ])('has no name %s, with any mistakes in its lines', (_, style) => {
    fc.assert(
      fc.property(randomRlmSite, changes, (random, list) => {
        const site = named(random, style);
        const names = personalNames(site);
        const text = changed(renderRlmstat(site, utc), names, list);
        expect(leaksIn(capture([sectionOf('rlmstat', text)], { manager: 'rlm' }).file, names)).toEqual([]);
      }),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LicenseSupply } from '../../../../src/analyzer/sources/flexnet/inventory.ts';
import { grantedBy, parseLicenseFile } from '../../../../src/analyzer/sources/flexnet/license-file.ts';
import { createSourceTime } from '../../../../src/analyzer/sources/times.ts';
import { isLong } from '../../../support/extent.ts';

const localTime = createSourceTime('Europe/Berlin', 'Europe/Berlin');
const now = Date.parse('2026-11-18T12:00:00Z') / 1000;
const parse = (text: string, at = now) => {
  const file = parseLicenseFile(text, localTime);
  return { ...file, ...grantedBy([file], { now: at, localTime }) };
};

/** Last second of a day in Berlin, in winter. */
const endOf = (date: string): number => Date.parse(`${date}T22:59:59Z`) / 1000;

/** `feature version count`, and what differs from a permanent floating license of `vend`. */
const shown = ({
  feature,
  version,
  count,
  daemon,
  expires,
  licenseType,
  mayBorrow,
  featureType,
  package: of,
}: LicenseSupply) =>
  [
    `${feature} ${version} ${count}`,
    daemon === 'vend' ? '' : daemon,
    expires ?? '',
    licenseType === 'floating' ? '' : licenseType,
    mayBorrow ? 'borrow' : '',
    featureType === 'feature' ? '' : featureType,
    of === undefined ? '' : `of ${of}`,
  ]
    .filter((part) => part !== '')
    .join(', ');
const supplies = (text: string): string[] => parse(text).supplies.map(shown);

describe('a license file', () => {
  it('has servers, daemons and licenses', () => {
    const file = parse(
      [
        '# bought 2024',
        'SERVER lic1.example.com 0050569a0b0c 27001',
        'server lic2.example.com ANY',
        'SERVER lic3 0050569a0b0d TCP:27003 PRIMARY_IS_MASTER',
        'USE_SERVER',
        'VENDOR vend /opt/vend/bin/vend OPTIONS=/opt/vend/vend.opt PORT=40000',
        'DAEMON other /opt/other',
        '',
        'INCREMENT cad vend 2024.0 31-dec-2026 20 SIGN="0012 34AB CDEF"',
        'Feature mesh other 3.5 permanent 4 ABCDEF012345',
      ].join('\r\n'),
    );
    expect(file.servers).toEqual([
      { host: 'lic1.example.com', port: 27001 },
      { host: 'lic2.example.com', port: undefined },
      { host: 'lic3', port: 27003 },
    ]);
    expect(file.supplies.map(shown)).toEqual([`cad 2024.0 20, ${endOf('2026-12-31')}`, 'mesh 3.5 4, other']);
    expect(file.diagnostics).toMatchObject({ unparsed: 0, contradictions: 0 });
  });

  it('keeps no signature, key, host id or customer text', () => {
    const file = parse(
      [
        'SERVER lic1 5EC4E7 27000',
        'INCREMENT a vend 1.0 permanent 2 5EC4E7 HOSTID=5EC4E7 SIGN="5EC4E7" NOTICE="5EC4E7 Ltd" VENDOR_STRING=5EC4E7 \\',
        '  SIGN2="5EC4E7" user_info="5EC4E7" SN=5EC4E7 ISSUER="5EC4E7"',
        'INCREMENT 5EC4E7',
      ].join('\n'),
    );
    expect(file.supplies).toHaveLength(1);
    expect(JSON.stringify(file)).not.toContain('5EC4E7');
    expect(file.diagnostics).toMatchObject({ unparsed: 1, masks: ['a 9a9a9'] });
  });

  it.each([
    ['permanent', undefined],
    ['PERMANENT', undefined],
    ['1-jan-0', undefined],
    ['01-jan-00', undefined],
    ['1-Jan-000', undefined],
    ['01-jan-0000', undefined],
    ['31-DEC-2026', endOf('2026-12-31')],
    ['1-jan-2045', endOf('2045-01-01')],
  ])('has the expiry %s', (written, expires) => {
    expect(parse(`INCREMENT f vend 1 ${written} 1`).supplies[0]?.expires).toBe(expires);
  });

  it.each([
    ['uncounted', Infinity],
    ['Uncounted', Infinity],
    ['0', Infinity],
    ['7', 7],
  ])('has the number %s', (written, count) => {
    const [supply] = parse(`INCREMENT f vend 1 permanent ${written}`).supplies;
    expect([supply?.count, supply?.licenseType]).toEqual([count, count === Infinity ? 'uncounted' : 'floating']);
  });

  it('says which licenses are tied to a host and which can be borrowed', () => {
    expect(
      supplies(
        [
          'INCREMENT locked vend 1 permanent 2 HOSTID=00aabbccddee',
          'INCREMENT any vend 1 permanent 2 hostid=any',
          'INCREMENT demo vend 1 permanent uncounted HOSTID=DEMO',
          'INCREMENT several vend 1 permanent 2 HOSTID="00aabbccddee 00aabbccddef" BORROW=48',
          'INCREMENT lent vend 1 permanent 2 borrow SIGN=0',
          'INCREMENT borrow vend 1 permanent 2 NOTICE="may BORROW it"',
        ].join('\n'),
      ),
    ).toEqual([
      'locked 1 2, node-locked',
      'any 1 2',
      'demo 1 Infinity, uncounted',
      'several 1 2, node-locked, borrow',
      'lent 1 2, borrow',
      'borrow 1 2',
    ]);
  });

  it('adds up INCREMENT lines that are counted together', () => {
    expect(
      supplies(
        [
          'INCREMENT f vend 1.0 permanent 5',
          'INCREMENT f vend 1.0 permanent 6 SIGN=1',
          'INCREMENT f vend 2.0 permanent 7',
          'INCREMENT f vend 1.0 1-jan-2027 8',
          'INCREMENT f other 1.0 permanent 9',
        ].join('\n'),
      ),
    ).toEqual(['f 1.0 11', 'f 2.0 7', `f 1.0 8, ${endOf('2027-01-01')}`, 'f 1.0 9, other']);
  });

  it('counts the first FEATURE line of a feature only, in the order of the vendor daemon', () => {
    expect(supplies('FEATURE f vend 1.0 permanent 5\nFEATURE f vend 1.0 permanent 6')).toEqual(['f 1.0 5']);
    // higher versions are before lower ones
    expect(supplies('FEATURE f vend 1.10 permanent 5\nFEATURE f vend 1.2 permanent 6')).toEqual(['f 1.2 6']);
    expect(supplies('FEATURE f vend 9 permanent 5\nFEATURE f vend 10 permanent 6')).toEqual(['f 10 6']);
    // newer ones before older ones
    expect(
      supplies('FEATURE f vend 1 permanent 5 ISSUED=1-jan-2020\nFEATURE f vend 1.0 permanent 6 ISSUED=1-jan-2021'),
    ).toEqual(['f 1.0 6']);
    expect(supplies('FEATURE f vend 2 permanent 5\nFEATURE f vend 1 permanent 6 sort=10')).toEqual(['f 1 6']);
    // those that hold today before all others
    expect(supplies('FEATURE f vend 2 1-jan-2020 5\nFEATURE f vend 1 permanent 6')).toEqual(['f 1 6']);
  });

  it('counts INCREMENT lines and uncounted ones beside a FEATURE line', () => {
    expect(
      supplies(
        [
          'FEATURE f vend 1 permanent 5',
          'FEATURE f vend 1 permanent uncounted HOSTID=ANY',
          'INCREMENT f vend 1 permanent 6',
          'FEATURE g vend 1 permanent 7',
        ].join('\n'),
      ),
    ).toEqual(['f 1 11', 'f 1 Infinity, uncounted', 'g 1 7']);
  });

  describe('with SUPERSEDE', () => {
    it('hides what was issued before', () => {
      expect(
        supplies(
          [
            'INCREMENT f vend 1 permanent 1 ISSUED=1-jan-2020',
            'INCREMENT f vend 1 permanent 2',
            'INCREMENT f vend 1 permanent 4 SUPERSEDE ISSUED=1-jan-2024',
            'INCREMENT f vend 1 permanent 8 SUPERSEDE ISSUED=1-jan-2024',
            'INCREMENT f vend 1 permanent 16 ISSUED=2-jan-2024',
            'INCREMENT f other 1 permanent 32 ISSUED=1-jan-2020',
          ].join('\n'),
        ),
      ).toEqual(['f 1 28', 'f 1 32, other']);
    });

    it('hides the features of its list, and by START without ISSUED', () => {
      expect(
        supplies(
          [
            'INCREMENT f1 vend 1 permanent 1 ISSUED=1-jan-2020',
            'INCREMENT f2 vend 1 permanent 2 START=1-jan-2020',
            'INCREMENT f3 vend 1 permanent 3 ISSUED=1-jan-2020',
            'INCREMENT f4 vend 1 permanent 4 SUPERSEDE="f1 f2" START=1-jan-2022',
          ].join('\n'),
        ),
      ).toEqual(['f3 1 3', 'f4 1 4']);
    });

    it('hides nothing without a date, or before its START', () => {
      expect(
        supplies(
          [
            'INCREMENT f vend 1 permanent 1 ISSUED=1-jan-2020',
            'INCREMENT f vend 2 permanent 2 SUPERSEDE',
            'INCREMENT f vend 3 permanent 4 SUPERSEDE START=1-jan-2030',
          ].join('\n'),
        ),
      ).toEqual(['f 1 1', 'f 2 2', 'f 3 0']);
    });
  });

  it('counts 0 until the START day in the zone of the server', () => {
    const text = 'INCREMENT f vend 1 permanent 5 START=19-nov-2026';
    const at = (time: string) => parse(text, Date.parse(time) / 1000).supplies[0]?.count;
    expect([at('2026-11-18T22:59:59Z'), at('2026-11-18T23:00:00Z')]).toEqual([0, 5]);
  });

  describe('with UPGRADE', () => {
    it('moves licenses to the new version', () => {
      expect(supplies('INCREMENT f vend 1.000 1-jan-2027 5\nUPGRADE f vend 1.000 2.000 1-jan-2028 2 SIGN=1')).toEqual([
        `f 1.000 3, ${endOf('2027-01-01')}`,
        `f 2.000 2, ${endOf('2028-01-01')}`,
      ]);
    });

    it('takes them from the closest line before it that fits, and no more than that has', () => {
      expect(
        supplies(
          [
            'INCREMENT f vend 1.0 permanent 5',
            'INCREMENT f vend 1.5 permanent 3',
            'INCREMENT f vend 2.0 permanent 7',
            'INCREMENT f vend 0.5 permanent 9',
            'UPGRADE f vend 1.0 2.0 1-jan-2028 4',
          ].join('\n'),
        ),
      ).toEqual(['f 1.0 5', 'f 1.5 0', 'f 2.0 7', 'f 0.5 9', `f 2.0 3, ${endOf('2028-01-01')}`]);
    });

    it('grants nothing without such a line', () => {
      expect(supplies('UPGRADE f vend 1.0 2.0 permanent 2\nINCREMENT f vend 1.0 permanent 5')).toEqual(['f 1.0 5']);
    });
  });

  describe('with a package', () => {
    it('grants its components', () => {
      expect(
        supplies(
          [
            'INCREMENT pack vend 1.0 1-jan-2027 3 BORROW',
            'PACKAGE pack vend 1.000 COMPONENTS="apple:1.5:2 \\',
            '  orange:3.0:4 pear" SIGN=321E',
          ].join('\n'),
        ),
      ).toEqual(
        ['pack 1.0 3', 'apple 1.5 6', 'orange 3.0 12', 'pear 1.0 3'].map(
          (supply, at) => `${supply}, ${endOf('2027-01-01')}, borrow, ${at === 0 ? 'package' : 'component, of pack'}`,
        ),
      );
    });

    it('grants each component of a suite as often as the suite', () => {
      expect(
        supplies('PACKAGE suite vend COMPONENTS="a b:2" OPTIONS=SUITE\nINCREMENT suite vend 1 permanent 5'),
      ).toEqual(['suite 1 5, package', 'a 1 5, component, of suite', 'b 2 5, component, of suite']);
    });

    it('grants nothing by itself, and not for another version or daemon', () => {
      expect(
        supplies(
          'PACKAGE p vend 2.0 COMPONENTS=a\nPACKAGE q other COMPONENTS=b\nINCREMENT p vend 1.0 permanent 1\nINCREMENT q vend 1 permanent 1',
        ),
      ).toEqual(['p 1.0 1', 'q 1 1']);
    });

    it('is replaced by a newer one with SUPERSEDE', () => {
      expect(
        supplies(
          [
            'PACKAGE p vend COMPONENTS="new" SUPERSEDE ISSUED=1-jan-2024',
            'PACKAGE p vend COMPONENTS="old" ISSUED=1-jan-2020',
            'INCREMENT p vend 1 permanent 1',
          ].join('\n'),
        ),
      ).toEqual(['p 1 1, package', 'new 1 1, component, of p']);
    });
  });

  describe('beside others of its server', () => {
    const together = (...texts: readonly string[]): string[] => {
      const files = texts.map((text) => parseLicenseFile(text, localTime));
      return grantedBy(files, { now, localTime }).supplies.map(shown);
    };

    it('is replaced by lines of another one with SUPERSEDE, in both orders', () => {
      const old =
        'INCREMENT a vend 1 permanent 1 SUPERSEDE ISSUED=8-may-2025\nINCREMENT b vend 1 permanent 4 ISSUED=8-may-2025';
      const recent = 'INCREMENT a vend 1 permanent 2 SUPERSEDE ISSUED=26-may-2025';
      expect(together(old, recent).toSorted()).toEqual(['a 1 2', 'b 1 4']);
      expect(together(recent, old).toSorted()).toEqual(['a 1 2', 'b 1 4']);
      expect(together(old, recent.replace('vend', 'zend')).toSorted()).toEqual(['a 1 1', 'a 1 2, zend', 'b 1 4']);
    });

    it('grants a signed line once, with all of its copies', () => {
      const line = 'INCREMENT a vend 1 permanent 4 SN=399-1 SIGN="0B53 00AA"';
      expect(together(line, `${line}\n${line.replace('a vend 1', 'a  vend  1')}`)).toEqual(['a 1 4']);
      expect(together(line, line.replace('0B53', '0B54'))).toEqual(['a 1 8']);
      expect(together(line, line.replace('399-1', '399-2'))).toEqual(['a 1 8']);
      const unsigned = line.replace(/ SIGN.*/, '');
      expect(together(unsigned, unsigned)).toEqual(['a 1 8']);
    });

    it('grants no FEATURE line after the first one of a name and version', () => {
      expect(together('FEATURE a vend 1 permanent 5', 'FEATURE a vend 1 permanent 9')).toEqual(['a 1 5']);
    });

    it('has packages that lines of another one enable', () => {
      expect(together('PACKAGE p vend 1 COMPONENTS="a b"', 'INCREMENT p vend 1 permanent 3')).toEqual(
        together('PACKAGE p vend 1 COMPONENTS="a b"\nINCREMENT p vend 1 permanent 3'),
      );
    });

    it('grants what one file with all lines grants, wherever it is cut', () => {
      const line = fc
        .record({
          kind: fc.constantFrom('FEATURE', 'INCREMENT', 'UPGRADE'),
          name: fc.constantFrom('a', 'b', 'p'),
          version: fc.constantFrom('1.0', '2.0'),
          end: fc.constantFrom('permanent', '1-jan-2030'),
          count: fc.integer({ min: 1, max: 9 }),
          more: fc.constantFrom(
            '',
            'SUPERSEDE',
            'SUPERSEDE="a b"',
            'SUPERSEDE ISSUED=1-jan-2024',
            'ISSUED=1-jan-2023',
            'SORT=9',
          ),
        })
        .map(({ kind, name, version, end, count, more }) => {
          const from = kind === 'UPGRADE' ? '0.5 ' : '';
          return `${kind} ${name} vend ${from}${version} ${end} ${count} ${more}`;
        });
      const lines = fc.array(
        fc.oneof({ arbitrary: line, weight: 9 }, fc.constant('PACKAGE p vend 1.0 COMPONENTS="a b"')),
        {
          maxLength: 12,
        },
      );
      fc.assert(
        fc.property(lines, fc.array(fc.nat(12), { maxLength: 3 }), (all, cuts) => {
          const ends = [...new Set(cuts)].toSorted((a, b) => a - b);
          const files = [...ends, all.length].map((end, at) => all.slice(ends[at - 1] ?? 0, end).join('\n'));
          expect(together(...files)).toEqual(together(all.join('\n')));
        }),
        { numRuns: isLong ? 2000 : 300 },
      );
    });
  });

  describe('with continued lines', () => {
    it('joins them, with and without a sign', () => {
      expect(
        supplies(
          [
            'INCREMENT a vend 1 permanent \\  ',
            '\t5 \\',
            '# a comment between',
            '  BORROW',
            'INCREMENT b vend 1 permanent 6',
            '    BORROW SIGN="00',
            '11 22"',
            'INCREMENT c vend 1 permanent 7 \\',
            'BORROW=5',
            'INCREMENT d vend 1 permanent 8',
            'HOSTID=123',
          ].join('\n'),
        ),
      ).toEqual(['a 1 5, borrow', 'b 1 6, borrow', 'c 1 7, borrow', 'd 1 8, node-locked']);
    });

    it('loses no line after a broken one', () => {
      const file = parse(
        [
          'INCREMENT a vend 1 permanent \\',
          'INCREMENT b vend 1 permanent 5 SIGN="',
          'INCREMENT c vend 1 permanent 6 \\',
          '',
          'INCREMENT d vend 1 permanent 7',
        ].join('\n'),
      );
      expect(file.supplies.map(shown)).toEqual(['b 1 5', 'c 1 6', 'd 1 7']);
      expect(file.diagnostics.unparsed).toBe(1);
    });
  });

  it.each([
    'INCREMENT',
    'INCREMENT f',
    'INCREMENT f vend 1 permanent',
    'INCREMENT f vend 1 31-foo-2030 5',
    'INCREMENT f vend 1 31-feb-2030 5',
    'INCREMENT f vend 1 permanent five',
    'INCREMENT f vend 1 permanent -5',
    'INCREMENT f vend 1 permanent 1234567890',
    'UPGRADE f vend 1 permanent 5',
    'PACKAGE p vend 1.0',
    'PACKAGE p vend COMPONENTS=""',
    'PACKAGE p vend COMPONENTS="a:1:x"',
    'SERVER lic1',
    'VENDOR',
    'vend-f1-00737-55296-1825',
    'Dear customer',
  ])('counts the broken line %s', (line) => {
    const file = parse(`INCREMENT a vend 1 permanent 1\n${line}\nINCREMENT b vend 1 permanent 2`);
    expect(file.supplies.map(shown)).toEqual(['a 1 1', 'b 1 2']);
    expect(file.diagnostics.unparsed).toBe(1);
  });

  it('may begin with a byte order mark', () => {
    expect(supplies('\ufeffINCREMENT a vend 1 permanent 1')).toEqual(['a 1 1']);
  });

  const word = fc.constantFrom(
    ...[
      'FEATURE',
      'INCREMENT',
      'UPGRADE',
      'PACKAGE',
      'SERVER',
      'f',
      'g',
      'vend',
      '1.0',
      '2',
      'permanent',
      '1-jan-2030',
    ],
    ...[
      'uncounted',
      'SUPERSEDE',
      'ISSUED=1-jan-2020',
      'START=1-jan-2030',
      'COMPONENTS="f g:1:2"',
      'OPTIONS=SUITE',
      '"',
      '\\',
    ],
    ...['\n', '\\\n', '#', '\0', 'SORT=1', '='],
  );
  it('is read without an error, in any order of words', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(word, fc.string()), { maxLength: 120 }), (words) => {
        const file = parse(words.join(' '));
        for (const { count, version } of file.supplies) {
          expect(count).toBeGreaterThanOrEqual(0);
          expect(version).not.toBe('');
        }
      }),
      { numRuns: isLong ? 500 : 100 },
    );
  });

  it.each(['(', ' ', '"', '0', '\\\n', ' \\\n', '\n', 'a=', ' x\n', 'INCREMENT f vend 1 permanent 1\n', '"\n', '#\n'])(
    'is read in linear time: %j',
    (piece) => {
      const text = (head: string) => `${head}${piece.repeat(Math.ceil(500_000 / piece.length))}`;
      for (const head of ['', 'INCREMENT f vend 1.', 'PACKAGE p vend COMPONENTS="']) {
        // more than linear time is more than the test has
        const { supplies: found } = parse(text(head));
        expect(found.filter(({ version }) => version === '')).toEqual([]);
      }
    },
  );

  it('has a limited number of supplies', () => {
    const components = Array.from({ length: 1000 }, (_, at) => `c${at}`).join(' ');
    const lines = Array.from({ length: 300 }, (_, at) => `INCREMENT p vend 1.${at + 1000} permanent 1`);
    const file = parse([`PACKAGE p vend COMPONENTS="${components}"`, ...lines].join('\n'));
    expect(file.supplies).toHaveLength(100_000);
    expect(file.isCut).toBe(true);
  });
});

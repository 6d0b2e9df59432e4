import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseOptionsFile } from '../../../../src/analyzer/sources/flexnet/options-file.ts';
import { isLong } from '../../../support/extent.ts';

describe('an options file', () => {
  it('has reservations', () => {
    const file = parseOptionsFile(
      [
        '# who may do what',
        'GROUP Engineers anna berta \\',
        '   carla dora',
        'HOST_GROUP lab ws-17',
        'GROUPCASEINSENSITIVE ON',
        'reserve 5 cad Group Engineers',
        'RESERVE 2 cad:VERSION=2024.0 USER anna',
        'RESERVE 3 "a:b VERSION=1.5" HOST_GROUP lab',
        'RESERVE 4 a:b HOST ws-17',
        'RESERVE 6 mesh:HOSTID=0050569a0b0c PROJECT apollo',
        'RESERVE 1 \\',
        '  post INTERNET 10.1.2.*',
        'RESERVE 1 post DISPLAY ws-17:0 SIGN=123',
      ].join('\r\n'),
      'vend',
    );
    expect(file.reserves).toEqual([
      { daemon: 'vend', feature: 'cad', licenses: 5 },
      { daemon: 'vend', feature: 'cad', version: '2024.0', licenses: 2 },
      { daemon: 'vend', feature: 'a:b', version: '1.5', licenses: 3 },
      { daemon: 'vend', feature: 'a:b', licenses: 4 },
      { daemon: 'vend', feature: 'mesh', licenses: 6 },
      { daemon: 'vend', feature: 'post', licenses: 1 },
      { daemon: 'vend', feature: 'post', licenses: 1 },
    ]);
    expect(file.diagnostics.unparsed).toBe(0);
    expect(JSON.stringify(file)).not.toMatch(/anna|ws-17|Engineers|apollo/);
  });

  it('has linger times, which change no number of licenses', () => {
    const file = parseOptionsFile('LINGER cad 3600\nlinger mesh:version=2.0 60\nLINGER a 0', 'vend');
    expect(file).toMatchObject({ reserves: [], diagnostics: { unparsed: 0 } });
  });

  it('has lines that change no number of licenses', () => {
    const file = parseOptionsFile(
      [
        'BORROW_LOWWATER cad 2',
        'DEBUGLOG +/var/log/vend.log',
        'REPORTLOG +/var/log/vend.rl',
        'NOLOG IN',
        'MAX 3 cad USER anna',
        'EXCLUDE cad USER bert',
        'INCLUDEALL GROUP Engineers',
        'HOST_GROUP lab ws-1 ws-2',
        'TIMEOUT cad 7200',
        'TIMEOUTALL 900',
        'AUTOMATIC_REREAD OFF',
        'max_overdraft cad 0',
      ].join('\n'),
      'vend',
    );
    expect(file).toMatchObject({ reserves: [], diagnostics: { unparsed: 0 } });
  });

  it.each([
    'RESERVE cad USER anna',
    'RESERVE five cad USER anna',
    'RESERVE 0 cad USER anna',
    'RESERVE 5 cad USER',
    'RESERVE 5 cad TEAM anna',
    'RESERVE 5 :VERSION=1 USER anna',
    'LINGER cad soon',
    'LINGER cad',
    'EXCLUDE cad',
    'RESERV 5 cad USER anna',
    'Hello anna',
  ])('has the broken line %s', (line) => {
    const file = parseOptionsFile(`RESERVE 1 a USER b\n${line}\nRESERVE 2 a USER b`, 'vend');
    expect(file.reserves.map(({ licenses }) => licenses)).toEqual([1, 2]);
    expect(file.diagnostics.unparsed).toBe(1);
    expect(JSON.stringify(file.diagnostics)).not.toContain('anna');
  });

  it('reserves nothing for a group that it does not define, wherever the definition is', () => {
    const file = parseOptionsFile(
      [
        'RESERVE 2 cad GROUP late',
        'RESERVE 3 cad group Nobody',
        'RESERVE 4 cad HOST_GROUP late',
        'RESERVE 5 cad host_group Lab',
        'GROUP LATE anna',
        'HOST_GROUP lab ws-1',
      ].join('\n'),
      'vend',
    );
    expect(file.reserves.map(({ licenses }) => licenses)).toEqual([2, 5]);
    expect(file.diagnostics.unparsed).toBe(2);
  });

  it.each([
    ['NOLOG DENIED', false],
    ['nolog IN OUT denied QUEUED', false],
    ['NOLOG OUT', true],
    ['# NOLOG DENIED', true],
    ['', true],
  ])('says with %j whether the daemon writes denials: %s', (line, logsDenials) => {
    expect(parseOptionsFile(`RESERVE 1 a USER b\n${line}\n`, 'vend').logsDenials).toBe(logsDenials);
  });

  it('is read without an error', () => {
    const word = fc.constantFrom(
      'RESERVE',
      'LINGER',
      'GROUP',
      '5',
      'f:VERSION=1',
      'USER',
      'x',
      '"',
      '\\',
      '\n',
      '\\\n',
      '#',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(word, fc.string()), { maxLength: 60 }), (words) => {
        for (const { licenses, feature } of parseOptionsFile(words.join(' '), 'vend').reserves) {
          expect(licenses).toBeGreaterThan(0);
          expect(feature).not.toBe('');
        }
      }),
      { numRuns: isLong ? 500 : 100 },
    );
  });

  it.each(['(', ' ', '"', ':', 'RESERVE ', '\\\n', 'a\\\n', ':VERSION'])('is read in linear time: %j', (piece) => {
    // more than linear time is more than the test has
    const { reserves } = parseOptionsFile(`RESERVE 1 ${piece.repeat(Math.ceil(1_000_000 / piece.length))}`, 'vend');
    expect(reserves.filter(({ feature }) => feature === '')).toEqual([]);
  });
});

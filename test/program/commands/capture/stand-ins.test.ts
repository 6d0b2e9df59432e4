import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StandIns } from '../../../../src/program/commands/capture/anonymize.ts';

const standInsFor = (...names: readonly string[]): StandIns => new StandIns(names, new Map());

describe('stand-ins', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['a name has the same one everywhere', ['pc7', 'x', 'pc7'], ['w01', 'w02', 'w01']],
    ['a short name and a full one are related', ['pc7', 'pc7.corp.example'], ['w01', 'w01.w02.w03']],
    ['a display is that of its host', ['pc7', 'pc7:0.0', 'pc7:12'], ['w01', 'w01:0.0', 'w01:12']],
    ['letter case stays', ['pc7', 'PC7'], ['w01', 'W01']],
    ['and each spelling is another', ['pc', 'PC', 'Pc', 'pC'], ['w01aa', 'W01AA', 'W01aa', 'w01aA']],
    ['punctuation stays', ['j.doe-x', '"j d"'], ['w01.w02-w03', '"w01 w04"']],
    ['other letters stay other letters', ['jörg', 'jorg'], ['w01é', 'w02']],
    ['a number stays one, with as many digits', ['4711', 'pc-12', 'pc-0815'], ['1000', 'w01-12', 'w01-1001']],
    ['a word of the texts is not used', ['w01', 'W02', 'pc'], ['w03', 'W04', 'w05']],
  ])('%s', (_, names, expected) => {
    const standIns = standInsFor(...names);
    expect(names.map((name) => standIns.nameFor(name))).toEqual(expected);
  });

  it('begin with the letter of what they stand for', () => {
    const standIns = new StandIns(['jdoe', 'pc7'], new Map([['jdoe', 'u']]));
    expect([standIns.nameFor('JDoe'), standIns.nameFor('pc7')]).toEqual(['U01', 'w01']);
  });

  it('of addresses are reserved for documentation', () => {
    const standIns = standInsFor();
    const of = (address: string): string => standIns.addressFor(address);
    expect(of('10.1.2.3')).toBe('192.0.2.1');
    expect(of('10.1.2.3')).toBe('192.0.2.1');
    expect(of('10.1.2.4')).toBe('192.0.2.2');
    expect(of('fe80::1')).toBe('2001:db8::3');
    expect(of('aa:bb:cc:dd:ee:ff')).toBe('00:00:5e:00:00:04');
  });

  it('are different for different names, and none begins another one', () => {
    const names = fc.uniqueArray(fc.stringMatching(/^[a-cA-Cé]{1,3}$/), { maxLength: 200 });
    fc.assert(
      fc.property(names, (list) => {
        const standIns = standInsFor(...list);
        const made = list.map((name) => standIns.nameFor(name));
        expect(new Set(made).size).toBe(list.length);
        expect(made.filter((one) => list.includes(one))).toEqual([]);
        for (const [at, name] of list.entries())
          for (const [other, name2] of list.entries()) {
            const isSame = name.toLowerCase() === name2.toLowerCase();
            const [one = '', two = ''] = [made[at]?.toLowerCase(), made[other]?.toLowerCase()];
            expect(one === two).toBe(isSame);
            if (!isSame) expect(one.startsWith(two)).toBe(false);
          }
      }),
    );
  });
});

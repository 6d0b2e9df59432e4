import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StandIns } from '../../../src/sources/capture/stand-ins.ts';

const standInsFor = (...names: readonly string[]): StandIns => new StandIns(names);

describe('stand-ins', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['a name has the same one everywhere', ['pc7', 'x', 'pc7'], ['h01', 'h02', 'h01']],
    ['a short name and a full one are related', ['pc7', 'pc7.corp.example'], ['h01', 'h01.n01.n02']],
    ['a display is that of its host', ['pc7', 'pc7:0.0', 'pc7:12'], ['h01', 'h01:0.0', 'h01:12']],
    ['letter case stays', ['pc7', 'PC7'], ['h01', 'H01']],
    ['and each spelling is another', ['pc', 'PC', 'Pc', 'pC'], ['h01aa', 'H01AA', 'H01aa', 'h01aA']],
    ['punctuation stays', ['j.doe-x', '"j d"'], ['h01.n01-n02', '"h01 h02"']],
    ['other letters stay other letters', ['jörg', 'jorg'], ['h01é', 'h02']],
    ['a number stays one, with as many digits', ['4711', 'pc-12', 'pc-0815'], ['1000', 'h01-12', 'h01-1001']],
    ['a word of the texts is not used', ['h01', 'H02', 'pc'], ['h03', 'H04', 'h05']],
  ])('%s', (_, names, expected) => {
    const standIns = standInsFor(...names);
    expect(names.map((name) => standIns.nameFor(name, 'host'))).toEqual(expected);
  });

  it('begin like another one if the name does', () => {
    const standIns = standInsFor('pc7', 'pc71', 'pc');
    standIns.add('pc7', 'host');
    standIns.add('pc71', 'display', 'pc7');
    expect(standIns.nameFor('pc71', 'display').startsWith(standIns.nameFor('pc7', 'host'))).toBe(true);
    expect(standIns.nameFor('pc', 'host').startsWith(standIns.nameFor('pc7', 'host'))).toBe(false);
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
        const made = list.map((name) => standIns.nameFor(name, 'user'));
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

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type ReturnedCheckout, returnCommand } from '../../../../src/site/pages/reclaim/return-command.ts';
import { createCleanup } from '../../../support/harness.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const flexnet: ReturnedCheckout = { feature: 'solver', handle: '101', server: 'flexnet:27000@lica', isBorrowed: false };
const rlm: ReturnedCheckout = { ...flexnet, handle: '809f418', server: 'rlm:5053@licb/foundry' };

const lineOf = (checkout: ReturnedCheckout, shell: 'any' | 'sh' | 'cmd'): string | undefined =>
  returnCommand(checkout).lines.find((line) => line.shell === shell)?.text;

/** Texts that an analyzer could send as a name or a handle. */
const hostile = [
  'two words',
  '  blanks  at both ends  ',
  'a;b',
  'a&b|c>d<e',
  '$(touch owned)',
  '$HOME',
  '~',
  '*',
  '#1',
  '!!',
  'a!b',
  '%PATH%',
  'a^b',
  'ends with \\',
  '(x)',
  'Größe',
  '設計',
  'a,b=c',
  '@file',
  '/x',
  '{a,b}',
  'a\\',
] as const;

describe('the line', () => {
  it('is the documented one of the manager', () => {
    expect(returnCommand(flexnet)).toEqual({
      lines: [{ shell: 'any', text: 'lmutil lmremove -c 27000@lica -h solver lica 27000 101' }],
      note: undefined,
    });
    expect(returnCommand(rlm)).toEqual({
      lines: [{ shell: 'any', text: 'rlmutil rlmremove licb 5053 foundry 809f418' }],
      note: undefined,
    });
  });

  it('of a borrowed license is for the host that borrowed it', () => {
    expect(returnCommand({ ...flexnet, isBorrowed: true })).toEqual({
      lines: [{ shell: 'any', text: 'lmutil lmborrow -return solver' }],
      note: 'A borrowed license returns only on the host that borrowed it: type it there.',
    });
    expect(lineOf({ ...flexnet, isBorrowed: true, feature: 'two words' }, 'sh')).toBe(
      "lmutil lmborrow -return 'two words'",
    );
    expect(returnCommand({ ...rlm, isBorrowed: true }).lines).toEqual([]);
  });

  it.each([
    '',
    'undef',
    'flexnet:27000@lica/x',
    'flexnet:x@lica',
    'flexnet:27000@lica;rm',
    'rlm:5053@licb',
    'rlm:5053@licb/-x',
    'lmx:6200@licc',
    '27000@lica',
  ])('is missing for the server %j', (server) => {
    const { lines, note } = returnCommand({ ...flexnet, server });
    expect([lines, note]).toEqual([[], expect.stringContaining('No command is known')]);
  });

  it('is missing for an IPv6 address of FlexNet, which would be a list of servers', () => {
    expect(returnCommand({ ...flexnet, server: 'flexnet:27000@fe80::1' }).lines).toEqual([]);
    expect(lineOf({ ...rlm, server: 'rlm:5053@fe80::1/foundry' }, 'any')).toBe(
      'rlmutil rlmremove fe80::1 5053 foundry 809f418',
    );
  });

  it.each([
    ['', 'is empty'],
    ['-h', 'begins with a hyphen'],
    ['--', 'begins with a hyphen'],
    ['a\nb', 'cannot be seen'],
    ['a\r', 'cannot be seen'],
    ['a\tb', 'cannot be seen'],
    ['a\0b', 'cannot be seen'],
    ['a\u001bb', 'cannot be seen'],
    ['a\u007fb', 'cannot be seen'],
    ['a\u0085b', 'cannot be seen'],
    ['a\u2028b', 'cannot be seen'],
    ['a\u2029b', 'cannot be seen'],
    ['a\u202eb', 'cannot be seen'],
    ['a\u2066b', 'cannot be seen'],
    ['a\u200bb', 'cannot be seen'],
    ['a\ufeffb', 'cannot be seen'],
    ['a\u00a0b', 'cannot be seen'],
    ['a\u3000b', 'cannot be seen'],
    ['a\ud800b', 'cannot be seen'],
    ["it's", 'has quotes'],
    ["''", 'has quotes'],
    ['a"b', 'has quotes'],
    ['a\\"b', 'has quotes'],
    ['`touch owned`', 'has quotes'],
  ])('is missing, with the reason, for %j', (text, reason) => {
    const checkouts = [
      { ...flexnet, feature: text },
      { ...flexnet, feature: text, isBorrowed: true },
      { ...flexnet, handle: text },
      { ...rlm, handle: text },
    ];
    for (const checkout of checkouts) {
      expect(returnCommand(checkout)).toEqual({ lines: [], note: expect.stringContaining(reason) });
    }
  });
});

/** A checkout in the list of a license server. */
interface Listed {
  readonly feature: string;
  readonly server: string;
  readonly handle: string;
}

/** What is left of the lists of license servers after a tool was called, by the usage of its vendor. */
function leftAfter(listed: readonly Listed[], argv: readonly string[]): readonly Listed[] {
  const [tool, command, ...given] = argv;
  if (tool === 'lmutil' && command === 'lmremove' && given.length === 7) {
    const [c, servers, h, feature, host, port, handle] = given;
    expect([c, servers, h]).toEqual(['-c', `${port}@${host}`, '-h']);
    return listed.filter((one) => one.server !== servers || one.feature !== feature || one.handle !== handle);
  }
  if (tool === 'rlmutil' && command === 'rlmremove' && given.length === 4) {
    const [host, port, , handle] = given;
    return listed.filter((one) => one.server !== `${port}@${host}` || one.handle !== handle);
  }
  throw new Error(`usage: ${JSON.stringify(argv)}`);
}

/** What sh calls of a line, with stand-ins for both tools that write down how they were called. */
function argvIn(line: string): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-tools-'));
  cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ['lmutil', 'rlmutil']) {
    const path = join(folder, name);
    writeFileSync(path, `#!/bin/sh\nprintf '%s\\0' ${name} "$@" >> '${folder}/calls'\n`);
    chmodSync(path, 0o755);
  }
  execFileSync('sh', ['-c', line], { cwd: folder, env: { PATH: `${folder}:/usr/bin:/bin` } });
  expect(readdirSync(folder).sort()).toEqual(['calls', 'lmutil', 'rlmutil']);
  return readFileSync(join(folder, 'calls'), 'utf8').split('\0').slice(0, -1);
}

describe('typed into sh', () => {
  const names = ['solver', 'solver2', ...hostile];
  const listed: readonly Listed[] = names.flatMap((feature, i) => [
    { feature, server: '27000@lica', handle: `${101 + i}` },
    { feature, server: '27000@licb', handle: `${101 + i}` },
    { feature, server: '5053@licb', handle: `f${i}` },
  ]);

  const inSh = (checkout: ReturnedCheckout): string => lineOf(checkout, 'any') ?? lineOf(checkout, 'sh') ?? '';

  it.each(names)('it ends just the checkout of the feature %j', (feature) => {
    const mine = listed.find((one) => one.feature === feature) as Listed;
    const argv = argvIn(inSh({ ...flexnet, feature, handle: mine.handle }));
    expect(leftAfter(listed, argv)).toEqual(listed.filter((one) => one !== mine));
  });

  it.each(hostile)('it ends just the checkout with the handle %j', (handle) => {
    const mine = { feature: 'solver', server: '5053@licb', handle };
    expect(leftAfter([...listed, mine], argvIn(inSh({ ...rlm, handle })))).toEqual(listed);
  });
});

/**
 * How a program gets its arguments from a line of cmd, as far as our lines need it. cmd: a quote begins and ends a part in which
 * `& | < > ( )` mean nothing; `%` means a variable everywhere, `!` does where delayed expansion is on, and `^` takes the meaning of what follows.
 * Then the C runtime: blanks separate outside of quotes, and a backslash before a quote makes it a character.
 *
 * @throws Error where cmd would do more than call the program
 */
function argumentsInCmd(line: string): readonly string[] {
  const given: string[] = [];
  let text: string | undefined;
  let isQuoted = false;
  for (let i = 0; i < line.length; i += 1) {
    const char = line[i] ?? '';
    if ('%!^\r\n'.includes(char)) throw new Error(`cmd reads ${JSON.stringify(char)}`);
    if (!isQuoted && '&|<>()'.includes(char)) throw new Error(`cmd reads ${char} outside of quotes`);
    if (char === '\\') {
      const backslashes = /^\\*/.exec(line.slice(i))?.[0] ?? '';
      if (line[i + backslashes.length] === '"') throw new Error('a backslash before a quote');
    }
    if (char === '"') {
      isQuoted = !isQuoted;
      text ??= '';
    } else if (char === ' ' && !isQuoted) {
      if (text !== undefined) given.push(text);
      text = undefined;
    } else text = `${text ?? ''}${char}`;
  }
  if (isQuoted) throw new Error('a quote is open');
  return text === undefined ? given : [...given, text];
}

describe('typed into cmd', () => {
  it.each(hostile)('it has the feature %j, or there is no line', (feature) => {
    const checkout = { ...flexnet, feature };
    const line = lineOf(checkout, 'any') ?? lineOf(checkout, 'cmd');
    if (line === undefined) {
      expect(feature).toMatch(/[%!^]|\\$/);
      return expect(returnCommand(checkout).note).toContain('There is no line for cmd');
    }
    expect(argumentsInCmd(line)).toEqual([
      'lmutil',
      'lmremove',
      '-c',
      '27000@lica',
      '-h',
      feature,
      'lica',
      '27000',
      '101',
    ]);
  });

  it('has the same line as sh where nothing needs quotes', () => {
    for (const text of ['solver', 'MATLAB_Distrib_Comp_Engine', 'a.b-c+d:e/f@g', '0x1f']) {
      expect(returnCommand({ ...flexnet, feature: text, handle: text }).lines).toHaveLength(1);
    }
    expect(lineOf({ ...flexnet, feature: 'two words' }, 'cmd')).toBe(
      'lmutil lmremove -c 27000@lica -h "two words" lica 27000 101',
    );
  });
});

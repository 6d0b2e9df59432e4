import { describe, expect, it } from 'vitest';
import {
  readLicenseFile,
  readOptionsFile,
  remarkOn,
} from '../../../../src/analyzer/sources/flexnet/configured-file.ts';
import type { Output } from '../../../../src/analyzer/sources/transport/transport.ts';
import { utc } from './samples.ts';

const output = (stdout: string, encoding = 'UTF-8'): Output => ({
  stdout,
  stderr: '',
  exitCode: undefined,
  at: 0,
  encoding,
});

const LICENSE = 'SERVER lic1 ANY 27000\nVENDOR acmed\nINCREMENT mesh acmed 1.0 permanent 5 SIGN=0\n';
const OPTIONS = 'GROUP eng eve bob\nRESERVE 2 mesh GROUP eng\nMAX 1 mesh USER eve\n';
const LMSTAT = 'lmutil - Copyright (c) 1989-2019 Flexera.\nLicense server status: 27000@lic1\n';
const LOG = '10:22:01 (lmgrd) FLEXnet Licensing\n10:22:02 (acmed) OUT: "mesh" eve@pc1\n';
const HTML = '<!DOCTYPE html>\n<html><body>Sign in, eve</body></html>\n';
const BYTES = Array.from({ length: 900 }, (_, i) => String.fromCharCode((i * 7919) % 256)).join('');

describe('a license file that is something else', () => {
  it.each([
    ['empty', '', 'it is empty; it has no statement'],
    ['a comment', '# eve\n', 'it has no SERVER, FEATURE or INCREMENT line; it has no statement'],
    [
      'a page',
      HTML,
      'it is an HTML page or XML; 0 of 2 statements were understood, the first that was not is in line 1',
    ],
    ['an output of lmstat', LMSTAT, 'it is an output of lmstat; 0 of 2 statements were understood'],
    ['an options file', OPTIONS, 'it is an options file; 0 of 3 statements were understood'],
    ['a debug log', LOG, 'it is a debug log; 0 of 2 statements were understood'],
    ['bytes', BYTES, 'it is not text; 0 of '],
  ])('because it is %s, is refused with what it is, counts, place and encoding', (_, text, reason) => {
    const read = () => readLicenseFile('/x/eve.lic', output(text, 'Latin-1'), utc);
    expect(read).toThrow(`the file /x/eve.lic is not a license file: ${reason}`);
    expect(read).toThrow('; correct the path in `license_files`');
    expect(read).not.toThrow(/: .*eve(?!\.lic)/);
    if (/\d of/.test(reason)) expect(read).toThrow('; the file was read as Latin-1;');
  });
});

describe('an options file that is something else', () => {
  it.each([
    ['a page', HTML, 'it is an HTML page or XML; 0 of 2 statements'],
    ['a license file', LICENSE, 'it is a license file; 0 of 3 statements'],
    ['an output of lmstat', LMSTAT, 'it is an output of lmstat; 0 of 2 statements'],
    ['other text', 'one two\n', 'it has no statement of an options file; 0 of 1 statement was understood'],
  ])('because it is %s, is refused: its reservations are not known, and not 0', (_, text, reason) => {
    expect(() => readOptionsFile('/x/a.opt', output(text), 'acmed')).toThrow(
      `the file /x/a.opt is not an options file: ${reason}`,
    );
  });

  it.each([
    ['RESERVE 5 mesh GROUP eng', 'a group that it does not define'],
    ['RESERVE 0 mesh USER eve', 'no license'],
    ['max 2 mesh USER', 'a word that is missing'],
    ['LINGER mesh', 'no seconds'],
  ])('is not one with %j, which has %s: that line is said', (line) => {
    const text = output(`# eng\n${line}\n`);
    const found = readOptionsFile('/x/a.opt', text, 'acmed');
    expect(found.reserves).toEqual([]);
    expect(remarkOn('/x/a.opt', text, found)?.message).toContain(
      'of the file /x/a.opt, 0 of 1 statement was understood, the first that was not is in line 2',
    );
  });

  it('may have no statement', () => {
    expect(readOptionsFile('/x/a.opt', output('# nothing\n'), 'acmed').reserves).toEqual([]);
  });
});

it('of a file that is one, the lines that are not understood are said with their place', () => {
  const text = output(`${LICENSE}hello eve\nINCREMENT foo acmed\n`, 'UTF-16LE');
  const found = readLicenseFile('/x/a.lic', text, utc);
  expect(remarkOn('/x/a.lic', text, found)?.message).toBe(
    'of the file /x/a.lic, 3 of 5 statements were understood, the first that was not is in line 4 and looks like "a a"; the file was read as UTF-16LE; correct these lines, or report them (license-exporter capture)',
  );
  const good = output(LICENSE);
  expect(remarkOn('/x/a.lic', good, readLicenseFile('/x/a.lic', good, utc))).toBeUndefined();
});

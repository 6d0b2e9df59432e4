import { describe, expect, it } from 'vitest';
import { findEnded, isRight, notShown, readPage } from './page.ts';
import { findProblems } from './report.ts';
import type { Outcome } from './run-scenario.ts';

const resources = { memory: 200_000_000, handles: 30, sockets: 10 };

const good: Outcome = {
  name: 'a storm',
  faultSeconds: 6,
  scrapes: 30,
  failedScrapes: [],
  worstScrapeMs: 100,
  recoverySeconds: 2,
  recoveryLimit: 5,
  staysDown: false,
  hasAnyEnd: false,
  isUpAtEnd: true,
  wrong: [],
  ended: [],
  notShown: [],
  stillShown: [],
  logons: 4,
  logonLimit: 8,
  worstDebt: 2,
  badLogons: 1,
  isLocked: false,
  memoryGrowth: 150 * 2 ** 20,
  before: resources,
  peakMemory: 300_000_000,
  after: resources,
  lastWarning: '',
};

describe('the limits of a storm', () => {
  it('reports nothing for a storm within its limits', () => expect(findProblems(good, true)).toEqual([]));

  const exceeded: readonly (readonly [Partial<Outcome>, string])[] = [
    [{ failedScrapes: ['Error: no'] }, '1 scrapes failed: Error: no'],
    [{ worstScrapeMs: 2001 }, 'a scrape took 2001 ms'],
    [{ wrong: ['license_server_up{} 1'] }, '1 wrong figures: license_server_up{} 1'],
    [{ ended: ['license_feature_info{}'] }, '1 series ended: license_feature_info{}'],
    [{ notShown: ['license_poll_incomplete{} 1'] }, 'not on the page: license_poll_incomplete{} 1'],
    [{ stillShown: ['license_poll_incomplete{} 1'] }, 'still on the page: license_poll_incomplete{} 1'],
    [{ recoverySeconds: 5.1 }, 'not right within 5 s of recovery, but after 5.1 s'],
    [{ staysDown: true }, 'license_up is 1 although the logon cannot succeed'],
    [{ logons: 9 }, '9 logons, 8 allowed'],
    [{ worstDebt: 3 }, '3 logons without a good verdict, 2 allowed'],
    [{ badLogons: 3 }, '3 bad logons in 31 minutes'],
    [{ isLocked: true }, 'the referee locked the account'],
    [{ after: { ...resources, memory: 400_000_000 } }, 'memory grew from 191 to 381 MiB'],
    [{ peakMemory: 800_000_000 }, 'memory reached 763 MiB'],
    [{ after: { ...resources, handles: 47 } }, 'handles grew from 30 to 47'],
  ];
  it.each(exceeded)('reports %j', (change, problem) => {
    expect(findProblems({ ...good, ...change }, true)).toEqual([problem]);
  });

  it('has no limit in seconds where only events are checked, but it must be right again', () => {
    expect(findProblems({ ...good, worstScrapeMs: 20_000, recoverySeconds: 300 }, false)).toEqual([]);
    expect(findProblems({ ...good, recoverySeconds: Number.POSITIVE_INFINITY }, false)).toEqual(['not right again']);
    expect(findProblems({ ...good, worstDebt: 3 }, false)).toHaveLength(1);
  });
});

it('reads the figures of the site from a page, and not those of the exporter', () => {
  const page = readPage(
    [
      '# HELP license_up x',
      'license_up 1',
      'license_server_up{a="b c"} 1',
      'license_poll_success{endpoint="GetProducts"} 1',
      'license_poll_last_success_timestamp_seconds{endpoint="GetProducts"} 12.5',
      'license_poll_last_success_timestamp_seconds{endpoint="GetFeatures"} 11',
      'license_upstream_authenticated 1',
      'license_exporter_series 3',
      'license_data_known{data="vendor_licenses"} 0',
      'license_vendor_license_data_known{vendor_license="a",data="usage"} 0',
      'license_feature_expiration_info{vendor_license="a",feature="b"} 1',
      'nodejs_version_info 1',
      '',
    ].join('\n'),
  );
  expect(page).toMatchObject({ isUp: true, freshSince: 11, figures: new Map([['license_server_up{a="b c"}', '1']]) });
  const known = 'license_vendor_license_data_known{vendor_license="*",data="usage"}';
  expect(notShown(page, [`${known} 0`, 'license_exporter_series 3'])).toEqual([]);
  expect(notShown(page, [`${known} 1`, 'license_exporter_series 4'])).toHaveLength(2);
  const truth = { ...page, figures: new Map([...page.figures, ['license_feature_info{}', '1']]) };
  expect(findEnded(page, truth.figures, ['license_feature_info{'])).toEqual(['license_feature_info{}']);
  expect(findEnded(page, truth.figures, ['license_server_up{'])).toEqual([]);
});

it.each([
  ['license_up 1', 'the page is not complete'],
  ['license_server_up{a="b"} 1\n', 'the page is not complete'],
  ['license_up 1\nlicense_server_up{a="b\n', 'no sample: license_server_up{a="b'],
])('refuses a page that is cut or cannot be parsed: %j', (text, problem) => {
  expect(() => readPage(text)).toThrow(problem);
});

describe('a page is right', () => {
  const at = (value: string) => ({
    isUp: true,
    freshSince: 11,
    newest: 12,
    state: [],
    figures: new Map([['license_server_up', value]]),
  });
  const truth = at('1').figures;

  it('with every served figure, from after the faults', () => {
    expect(isRight(at('1'), truth, 10, 12)).toBe(true);
    expect(isRight(at('1'), truth, 12, 12)).toBe(false);
    expect(isRight(at('0'), truth, 10, 12)).toBe(false);
    expect(isRight(at('1'), truth, 10, 11.5)).toBe(false);
    expect(isRight({ ...at('1'), figures: new Map() }, truth, 10, 12)).toBe(false);
  });
});

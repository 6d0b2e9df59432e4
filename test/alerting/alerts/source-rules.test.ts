import { describe, expect, it } from 'vitest';
import type { SourceState } from '../../../src/alerting/alerts/rule.ts';
import { evaluate } from '../../support/alert-views.ts';
import { NOW } from '../../support/scenario.ts';
import { source } from './examples.ts';

const [up, down, unseen] = [{ up: true }, { up: false }, { up: undefined }];

describe('LicenseSourceDown', () => {
  const id = 'LicenseSourceDown/critical';
  const about = { alertname: 'LicenseSourceDown', severity: 'critical', license_source: 'site', manager: 'flexnet' };
  const ofLicense = (name: string) => ({ ...about, vendor_license: name });
  const of = (sources: readonly SourceState[] | undefined, settings: unknown = {}) =>
    evaluate(id, {}, { sources, settings });

  it('fires for each vendor license after two failed readings', () => {
    const vendorLicenses = ['lic01;a', 'lic01;b'];
    const failing = (failedReadings: number) => of([source({ failedReadings, vendorLicenses, isServerDown: true })]);
    expect([0, 1].map((readings) => failing(readings).labels)).toEqual([[], []]);
    const { labels, findings } = failing(2);
    expect(labels).toEqual([ofLicense('lic01;a'), ofLicense('lic01;b')]);
    expect(findings[0]?.annotations.summary).toBe('License source site of lic01;a is down.');
    expect(of([source({ failedReadings: 2 })], { LicenseSourceDown: { readings: 3 } }).labels).toEqual([]);
  });

  it.each([
    [true, 'is down', 'Users may not be able to check out its licenses.'],
    [undefined, 'cannot be read', 'Whether users can check them out is not known.'],
  ])('says whether the server is down, or only the reading fails: %s', (isServerDown, what, means) => {
    const [finding] = of([source({ failedReadings: 2, isServerDown })]).findings;
    expect(finding?.annotations.summary).toContain(` ${what}.`);
    expect(finding?.annotations.description).toContain(` ${means} First step: Open the page /sources`);
    expect(finding?.annotations.impact).toContain(means);
  });

  it('has no vendor license while none is known, and then keeps those that fired', () => {
    const { labels, isUnknown } = of([source({ failedReadings: 2, vendorLicenses: [] })]);
    expect(labels).toEqual([about]);
    expect(isUnknown(ofLicense('lic01;a'))).toBe(true);
    // now they are known
    const known = of([source({ failedReadings: 3, vendorLicenses: ['lic01;b'] })]);
    expect([known.isUnknown(about), known.isUnknown(ofLicense('lic01;a'))]).toEqual([false, false]);
  });

  it('does not end before a complete reading', () => {
    const is = (failedReadings: number | undefined) => of([source({ failedReadings })]).isUnknown(ofLicense('lic01;a'));
    expect([undefined, 0, 1].map(is)).toEqual([true, false, true]);
  });

  it('ends when its source is removed, and has no data without sources', () => {
    const other = of([source({ name: 'other' })]);
    expect([other.isUnknown(ofLicense('lic01;a')), other.hasNoData]).toEqual([false, false]);
    expect(of(undefined).hasNoData).toBe(true);
    expect(of([source({ failedReadings: undefined })]).hasNoData).toBe(true);
  });
});

describe('LicenseRedundancyLost', () => {
  const id = 'LicenseRedundancyLost/warning';
  const about = { alertname: 'LicenseRedundancyLost', severity: 'warning', license_source: 'site', manager: 'flexnet' };
  const of = (members: SourceState['members'], failedReadings: number | undefined = 0) =>
    evaluate(id, {}, { sources: [source({ members, failedReadings })] });

  it.each([
    [[up, up, down], true],
    [[up, down, down], true],
    [[up, up, up], false],
    [[down, down, down], false],
    [[up], false],
    [[down], false],
    [[up, unseen, up], false],
  ])('%j', (members, isFiring) => {
    expect(of(members).labels).toEqual(isFiring ? [about] : []);
  });

  it('says how many answer', () => {
    expect(of([up, up, down]).findings[0]?.annotations.summary).toBe('2 of 3 servers of license source site answer.');
  });

  it('leaves a source that is down to LicenseSourceDown, and concludes nothing from one failed reading', () => {
    const members = [up, down];
    expect([1, 2].map((readings) => of(members, readings).labels)).toEqual([[], []]);
    expect([1, 2].map((readings) => of(members, readings).isUnknown(about))).toEqual([true, false]);
    expect([of([up, unseen]), of([up, up]), of([])].map(({ isUnknown }) => isUnknown(about))).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe('LicenseHistoryNotRecorded', () => {
  const id = 'LicenseHistoryNotRecorded/warning';
  const about = { alertname: 'LicenseHistoryNotRecorded', severity: 'warning' };
  const at = (interval: number, lastRecordedAt: number | undefined, since = NOW - 86_400) =>
    evaluate(id, {}, { recording: { since, interval, lastRecordedAt, archive: undefined } });

  it.each([
    [60, 1800],
    [600, 1800],
    [601, 1803],
    [3600, 10_800],
  ])('fires after 30 minutes and three intervals: of %i s after %i s', (interval, limit) => {
    expect(at(interval, NOW - limit).labels).toEqual([]);
    expect(at(interval, NOW - limit).isUnknown(about)).toBe(false);
    expect(at(interval, NOW - limit - 1).labels).toEqual([about]);
  });

  it('counts from the start while nothing is recorded, and does not know before', () => {
    const young = at(60, undefined, NOW - 1800);
    expect([young.labels, young.isUnknown(about), young.hasNoData]).toEqual([[], true, true]);
    expect(at(60, undefined, NOW - 1801).labels).toEqual([about]);
  });

  it('has no data without an analyzer in this process', () => {
    const { labels, hasNoData } = evaluate(id, {});
    expect([labels, hasNoData]).toEqual([[], true]);
  });
});

describe('LicenseArchiveDown', () => {
  const id = 'LicenseArchiveDown/warning';
  const about = { alertname: 'LicenseArchiveDown', severity: 'warning' };
  const at = (archive: { lastSuccessAt?: number; problem?: string } | undefined) => {
    const health = archive && {
      since: NOW - 7200,
      lastSuccessAt: undefined,
      problem: undefined,
      waiting: 3,
      ...archive,
    };
    return evaluate(id, {}, { recording: { since: NOW, interval: 60, lastRecordedAt: NOW, archive: health } });
  };

  const summariesOf = ({ findings }: ReturnType<typeof at>) => findings.map(({ annotations }) => annotations.summary);

  it('fires while the last exchange has failed, with the reason', () => {
    const failing = at({ lastSuccessAt: NOW - 3600, problem: 'nothing listens on db:5432' });
    expect(failing.labels).toEqual([about]);
    expect(summariesOf(failing)).toEqual(['The archive of the history has not been reached for 1h.']);
    expect(summariesOf(at({ problem: 'nothing listens on db:5432' }))).toEqual([
      'The archive of the history has not been reached for 2h.',
    ]);
    expect(at({ lastSuccessAt: NOW - 30 }).labels).toEqual([]);
  });

  it('does not know before the first exchange, and is over without an archive', () => {
    expect([at({}).labels, at({}).isUnknown(about)]).toEqual([[], true]);
    const without = at(undefined);
    expect([without.labels, without.isUnknown(about)]).toEqual([[], false]);
  });
});

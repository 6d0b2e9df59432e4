import { describe, expect, it } from 'vitest';
import { createIgnore } from '../../../src/alerting/alerts/engine.ts';
import { matchers } from '../../../src/base/settings/labels.ts';

const isIgnored = (entries: readonly string[], given: Readonly<Record<string, string>>): boolean =>
  createIgnore(entries.map((entry) => matchers.parse(entry)))(given);

const labels = { alertname: 'LicenseExpired', vendor_license: 'lic01;cdslmd', feature: 'a"b\\c' };

describe('alerts to ignore', () => {
  it.each([
    [[], false],
    [['alertname="LicenseExpired"'], true],
    [['alertname="License"'], false],
    [['alertname!="LicenseExpired"'], false],
    // an expression matches the whole value
    [['vendor_license=~"lic01"'], false],
    [['vendor_license=~"lic01;.*"'], true],
    [['vendor_license=~"01|lic01;cdslmd"'], true],
    [['vendor_license!~"lic02;.*"'], true],
    // all of an entry, any of the entries
    [['alertname="LicenseExpired", vendor_license="lic02;x"'], false],
    [['{alertname="LicenseExpired",vendor_license="lic01;cdslmd"}'], true],
    [['alertname="x"', 'feature="a\\"b\\\\c"'], true],
    // a label that is missing is empty
    [['package=""'], true],
    [['package!=""'], false],
    [['package=~".+"'], false],
  ])('%j: %s', (entries, expected) => {
    expect(isIgnored(entries, labels)).toBe(expected);
  });
});

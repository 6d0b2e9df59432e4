import { expect, it } from 'vitest';
import type { AlertState } from '../../../src/alerting/alerts/alert.ts';
import { silenceUrl } from '../../../src/alerting/alerts/links.ts';
import { createNotification } from '../../../src/alerting/alerts/notification.ts';
import { formatLabels } from '../../../src/exporter/metrics/rows.ts';
import { NOW } from '../../support/scenario.ts';

it('the labels of an alert about a long name are those that Prometheus relays, and its silence matches them', () => {
  const labels = { alertname: 'LicenseServerDown', vendor_license: `lic01;${'d'.repeat(100_000)}` };
  const alert: AlertState = {
    ...{
      rule: 'r',
      labels,
      annotations: {},
      value: 1,
      threshold: undefined,
      state: 'firing',
      activeAt: NOW,
      firedAt: NOW,
    },
    ...{ keepFiringSince: undefined, resolvedAt: undefined, knownAt: NOW, unknownSince: undefined, ending: undefined },
  };
  const sent = createNotification('', alert, NOW, {
    ...{ commonLabels: {}, validity: 240, unknownHold: 3600, generatorUrl: 'http://exporter/alerts' },
  }).labels.vendor_license;
  expect(sent).toHaveLength(998);
  expect(formatLabels(['vendor_license'], [labels.vendor_license])).toBe(`{vendor_license="${sent}"}`);
  expect(decodeURIComponent(silenceUrl('http://am', labels, 'lic:80'))).toContain(`vendor_license="${sent}"`);
});

import { expect, it } from 'vitest';
import { bySeverity } from '../../../src/alerting/messages/texts.ts';

/** In which order a message has its alerts. */

const START = Date.parse('2026-11-18T12:00:00Z') / 1000;

const alert = (name: string, severity: string, startsAt: number, expires?: string) => ({
  labels: { alertname: name, severity, ...(expires !== undefined && { expires }) },
  episodes: [{ startsAt, state: 'firing' as const, at: startsAt, dueSince: startsAt }],
});

it('is by severity, and then by the day of an expiry or the beginning', () => {
  const alerts = [
    alert('warning', 'warning', START - 9000),
    alert('ends first', 'critical', START, '2026-11-20'),
    alert('a, which ends later', 'critical', START - 60, '2026-11-21'),
    alert('ended', 'critical', START, '2026-11-10'),
    alert('down', 'critical', START - 3600),
    alert('without severity', '', START - 9999),
    alert('b', 'info', START),
    alert('a', 'info', START),
  ];
  expect(alerts.toSorted(bySeverity).map(({ labels }) => labels.alertname)).toEqual([
    'ended',
    'down',
    'ends first',
    'a, which ends later',
    'warning',
    'a',
    'b',
    'without severity',
  ]);
});

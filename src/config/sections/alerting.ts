import { z } from 'zod';
import { baseUrl } from '../addresses.ts';
import { oneOrMore } from '../structures.ts';
import { duration, oneOf } from '../values.ts';
import { labelMap, matchers } from './alert-labels.ts';
import { rules } from './alert-rules.ts';
import { alertmanagers } from './alertmanagers.ts';

export const alerting = z
  .strictObject({
    alertmanagers: alertmanagers
      .prefault([])
      .describe(
        "Alertmanagers that the daemon tells its alerts, as in Prometheus' configuration, or as URLs. Empty: the alert engine is off.",
      ),
    external_labels: labelMap.prefault({}).meta({ description: 'Labels added to every alert.', fileOnly: true }),
    evaluation_interval: duration(0.1, 600)
      .prefault('30s')
      .describe('How often the rules are evaluated at least; they are after each poll too.'),
    resend_delay: duration(0.1, 3600).prefault('1m').describe('How often a firing alert is told again.'),
    resolve: oneOf('explicit', 'expire')
      .prefault('explicit')
      .describe('Whether the end of an alert is told, or the alert left to `expire`: for two daemons side by side.'),
    unknown_hold: duration(0, 30 * 86_400)
      .prefault('1h')
      .describe('How long an alert goes on when there is no data about it any more.'),
    ignore: oneOrMore(matchers).prefault([]).meta({
      description: 'Matchers, such as `vendor_license="lic01;cdslmd"`; alerts that meet one entry are none.',
      fileOnly: true,
    }),
    rules: rules
      .prefault({})
      .meta({ description: 'Thresholds and durations by alert, see docs/alerts.md.', fileOnly: true }),
    runbook_base_url: baseUrl('https://wiki.example.com/runbooks.md')
      .optional()
      .describe('Where you publish `deploy/runbooks.md`: alerts link to their section there.'),
  })
  .describe('The alert engine.');

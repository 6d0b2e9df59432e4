import { prometheusAlert } from '../../definition.ts';

/** Prometheus cannot scrape the exporter. */
export const exporterDown = prometheusAlert({
  subject: 'analyzer',
  messages: 'fault',
  severity: 'critical',
  needs: 'a process that is not the exporter',
  for: '5m',
  keepFiringFor: '0s',
  parameters: {},
  expr: ({ job }) => `up{job=${job}} == 0`,
  texts: {
    summary: () => 'License exporter {{ $labels.instance }} cannot be scraped.',
    impact:
      'Users are not affected. Prometheus has no new license data, and no new alert begins there. Alerts that fire are kept, for a day at most.',
    step: 'Check whether the process runs, and read its log.',
  },
});

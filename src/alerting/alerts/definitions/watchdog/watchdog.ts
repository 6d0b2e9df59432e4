import { prometheusAlert } from '../../definition.ts';

/** It always fires, and reports by its absence. */
export const watchdog = prometheusAlert({
  subject: 'analyzer',
  messages: 'watchdog',
  severity: 'none',
  needs: 'Prometheus itself',
  for: '0s',
  keepFiringFor: '0s',
  parameters: {},
  expr: () => 'vector(1)',
  texts: {
    summary: () => 'Prometheus evaluates the license rules and reaches Alertmanager.',
    impact: 'Nobody is affected: this alert always fires.',
    step: "Send it to a dead man's switch, which reports when it stops: then alerts no longer arrive.",
  },
});

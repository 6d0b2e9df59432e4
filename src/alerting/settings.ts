import { z } from 'zod';
import { type AlertmanagerConfig, alertmanagers, type EngineSection, engine } from './alerts/settings.ts';
import { type EmailConfig, type MessagesSection, messages, type WebhookConfig } from './messages/settings.ts';

/** The alert engine: its rules, its receivers and its Alertmanagers. */
export const alerting = z
  .strictObject({
    alertmanagers: alertmanagers
      .prefault([])
      .describe(
        'Alertmanagers that receive alerts, as in the configuration of Prometheus, or as URLs. If empty, alerts are evaluated and shown at `/alerts`, and sent only by e-mail or webhook, if these are configured.',
      ),
    ...messages,
    ...engine,
  })
  .describe('The alert engine.');

/** The section `alerting`, with the content of its files. Durations are seconds. */
export interface AlertingConfig extends EngineSection, MessagesSection {
  readonly alertmanagers: readonly AlertmanagerConfig[];
  readonly email: EmailConfig | undefined;
  readonly webhook: WebhookConfig | undefined;
}

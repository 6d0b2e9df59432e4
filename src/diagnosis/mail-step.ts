import { smtpOptions } from '../app/messages.ts';
import { tryConnection } from '../messages/smtp.ts';
import { bad, good, type Step } from './step.ts';

/** How long the conversation may take, milliseconds. */
const LIMIT_MS = 20_000;

/** Whether the mail server accepts the connection, TLS and the logon. No mail is sent: `test-alert` does that. */
export const mailStep: Step = {
  name: 'mail',
  exit: 'delivery',
  needs: [],
  applies: ({ kind, config }) => kind !== 'demo' && config.alerting.email !== undefined,
  check: async ({ config }) => {
    const { email } = config.alerting;
    if (email === undefined) return good('none');
    const server = `${email.host}:${email.port}`;
    const limit = AbortSignal.timeout(LIMIT_MS);
    const problem = await tryConnection(smtpOptions(email), limit);
    if (limit.aborted) {
      return bad(
        `${server} does not answer within ${LIMIT_MS / 1000} s`,
        'check alerting.email.smarthost and the firewall; port 465 is for TLS from the start',
      );
    }
    if (problem !== undefined) return bad(problem);
    return good(`${server} accepts ${email.username === undefined ? 'the connection' : 'the logon'}`);
  },
};

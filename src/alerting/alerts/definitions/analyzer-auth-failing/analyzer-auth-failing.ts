import { siteCondition } from '../../conditions.ts';
import { engineAlert } from '../../definition.ts';

/** The analyzer rejects the logon. */
export const analyzerAuthFailing = engineAlert({
  subject: 'analyzer',
  messages: 'fault',
  needs: 'logons',
  severities: ['critical'],
  for: '2m',
  keepFiringFor: '5m',
  parameters: {},
  threshold: 'none',
  condition: siteCondition(({ authenticated }) => (authenticated === undefined ? 'unknown' : !authenticated && {})),
  attention: { what: 'Analyzer rejects the logon', class: 'site' },
  texts: {
    summary: ({ analyzer }) => `The ${analyzer} rejects the logon.`,
    remedy:
      'The password is wrong or has expired, the account is locked, or a reverse proxy does not keep one connection for each client. Correct the credentials or the proxy. To keep the account from being locked, polling stops until the credentials change or the next logon is due.',
  },
  example: () => ({ authenticated: false }),
});

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
    impact:
      'There is no new data about any license server: nobody is told of a new outage. To keep the account from being locked, polling stops until the password file changes or the next logon is due, by default after 31 minutes.',
    step: 'Check whether the password has expired and whether the account is locked. If both are right, check that a reverse proxy keeps one connection for each client.',
  },
  example: () => ({ authenticated: false }),
});

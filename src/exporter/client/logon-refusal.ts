import { toWall } from '../../base/model/steady-clock.ts';
import { NtlmError } from '../../base/ntlm/errors.ts';
import type { Standing, SuspensionReason } from './logon-budget.ts';

const iso = (steady: number): string => new Date(toWall(steady)).toISOString();

/** Why credentials were rejected, if another process got the rejection. */
export const REJECTED_BEFORE =
  'an earlier logon with these credentials was rejected: wrong password, locked or disabled account, a policy that denies the logon, or a reverse proxy in between that does not keep one connection for each client';

/** Why no logon is sent until a time, as the end of a sentence that begins with the time. */
const suspensions: Readonly<Record<SuspensionReason, (rejectedBecause: string) => string>> = {
  unconfirmed: (rejectedBecause) =>
    `or until the credentials change. The password was accepted within 24 hours before it was rejected, and is tried once more: ${rejectedBecause}`,
  rejected: (rejectedBecause) => `or until the credentials change: ${rejectedBecause}`,
  rejected_and_spent: (rejectedBecause) =>
    `and a corrected password may wait as long, because analyzer.max_failed_logons logons of the account were rejected or got no verdict: ${rejectedBecause}`,
  spent: () =>
    'or until an earlier one is accepted: analyzer.max_failed_logons logons of the account, with any password, were rejected or got no verdict',
  not_recorded: () =>
    'because the logon file was lost or cannot be used: logons that it may have counted, and one more, could lock the account',
};

/**
 * Why no logon can be sent now. `undefined` if one can be sent, or only waits for a verdict.
 *
 * @param rejectedBecause the most likely cause of the last rejection
 */
export function refusalOf(state: Standing, rejectedBecause: string): NtlmError | undefined {
  if (state.is === 'suspended') {
    const message = `no logon is sent until ${iso(state.until)}, ${suspensions[state.because](rejectedBecause)}`;
    const code = state.because === 'not_recorded' ? 'NTLM_LOGON_NOT_KEPT' : 'NTLM_CREDENTIALS_SUSPENDED';
    return new NtlmError(code, message, { retryAt: state.until });
  }
  if (state.is === 'unchecked') {
    const message = `no logon is sent: the last one got no verdict; the next one is sent after ${iso(state.from)}, once the analyzer answers again`;
    return new NtlmError('NTLM_PATH_UNCHECKED', message, { retryAt: state.from });
  }
  return undefined;
}

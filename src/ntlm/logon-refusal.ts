import { NtlmError } from './errors.ts';
import type { Standing } from './logon-budget.ts';

const iso = (time: number): string => new Date(time).toISOString();

/** Why credentials were rejected, if another process got the rejection. */
export const REJECTED_BEFORE =
  'an earlier logon with these credentials was rejected: wrong password, locked or disabled account, a policy that denies the logon, or a reverse proxy in between that does not keep one connection for each client';

/**
 * Why no logon can be sent now. `undefined` if one can be sent, or only waits for a verdict.
 *
 * @param rejectedBecause the most likely cause of the last rejection
 */
export function refusalOf(state: Standing, rejectedBecause: string): NtlmError | undefined {
  if (state.is === 'suspended') {
    const until = iso(state.until);
    const message =
      state.because === 'rejected'
        ? `no logon is sent until ${until}, or until the credentials change: ${rejectedBecause}`
        : `no logon is sent until ${until}, or until an earlier one is accepted: analyzer.max_failed_logons logons got no verdict`;
    return new NtlmError('NTLM_CREDENTIALS_SUSPENDED', message, { retryAt: state.until });
  }
  if (state.is === 'unchecked') {
    const message = `no logon is sent: the last one got no verdict; the next one is sent after ${iso(state.from)}, once the analyzer answers again`;
    return new NtlmError('NTLM_PATH_UNCHECKED', message, { retryAt: state.from });
  }
  return undefined;
}

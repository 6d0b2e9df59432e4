/** After a rejected logon, the same password is not sent again for some time: a directory could lock the account. */

/** Seconds. */
const HOLD = 1800;

export interface LogonHold {
  /** Whether a password must not be sent now. */
  isHeld(password: string): boolean;
  /** Notes that a password was rejected. */
  reject(password: string): void;
}

/** It is kept in memory: a restart sends the password once more. @param now epoch seconds */
export function createLogonHold(now: () => number): LogonHold {
  let rejected: { readonly password: string; readonly at: number } | undefined;
  return {
    isHeld: (password) => rejected?.password === password && now() - rejected.at < HOLD,
    reject: (password) => {
      rejected = { password, at: now() };
    },
  };
}

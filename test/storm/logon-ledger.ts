/** One AUTHENTICATE message that passed the proxy. Times are epoch milliseconds. */
export interface Logon {
  readonly user: string;
  readonly at: number;
  /** The verdict of the server, even if the client did not receive it. */
  verdict?: 'good' | 'rejected';
  /** The status that the client received, and when; absent as long as it received none. */
  received?: { readonly status: number; readonly at: number };
}

export interface LogonLedger {
  readonly logons: readonly Logon[];
  add(user: string): Logon;
  /** Other credentials start with a full budget. */
  credentialsChanged(): void;
  /**
   * The highest count against the budget at any time (decision 30): messages since the last good verdict. A rejected one
   * uses up the whole budget. A count over `allowed` means that a logon was sent that must not be sent.
   */
  worstDebt(allowed: number, authRetryMs: number): number;
  /** The count against the budget now. */
  debt(allowed: number, authRetryMs: number): number;
}

/** The budget is full again when `authRetryMs` and this time have passed since the last message. */
const GRACE_MS = 60_000;

const isGood = (status: number): boolean => (status >= 200 && status < 300) || [403, 404, 405].includes(status);

type Event =
  | { readonly at: number; readonly kind: 'sent' | 'changed' }
  | { readonly at: number; readonly kind: 'received'; readonly status: number };

export function createLogonLedger(now: () => number = Date.now): LogonLedger {
  const logons: Logon[] = [];
  const changes: number[] = [];

  const events = (): Event[] =>
    [
      ...changes.map((at): Event => ({ at, kind: 'changed' })),
      ...logons.map(({ at }): Event => ({ at, kind: 'sent' })),
      ...logons.flatMap(({ received }): Event[] => (received === undefined ? [] : [{ kind: 'received', ...received }])),
    ].toSorted((a, b) => a.at - b.at);

  const replay = (allowed: number, authRetryMs: number): { worst: number; debt: number } => {
    let debt = 0;
    let worst = 0;
    let last = Number.NEGATIVE_INFINITY;
    for (const event of events()) {
      if (event.kind === 'changed') debt = 0;
      if (event.kind === 'received')
        debt = isGood(event.status) ? 0 : event.status === 401 ? Math.max(debt, allowed) : debt;
      if (event.kind !== 'sent') continue;
      debt = event.at - last >= authRetryMs + GRACE_MS ? 1 : debt + 1;
      last = event.at;
      worst = Math.max(worst, debt);
    }
    return { worst, debt };
  };

  return {
    logons,
    add: (user) => {
      const logon: Logon = { user, at: now() };
      logons.push(logon);
      return logon;
    },
    credentialsChanged: () => changes.push(now()),
    worstDebt: (allowed, authRetryMs) => replay(allowed, authRetryMs).worst,
    debt: (allowed, authRetryMs) => replay(allowed, authRetryMs).debt,
  };
}

/** One AUTHENTICATE message as it came by. Times are epoch milliseconds. */
export interface Logon {
  readonly user: string;
  readonly at: number;
  /** The verdict of the server, whatever the client got. */
  verdict?: 'good' | 'rejected';
  /** The status that the client was told, and when; absent while it has not been told any. */
  told?: { readonly status: number; readonly at: number };
}

export interface LogonLedger {
  readonly logons: readonly Logon[];
  add(user: string): Logon;
  /** Other credentials begin anew. */
  credentialsChanged(): void;
  /**
   * The most that counted against the budget at any time (decision 30): messages since the last good verdict, one that was
   * rejected counting as all that is allowed. More than `allowed` is a logon too many.
   */
  worstDebt(allowed: number, authRetryMs: number): number;
  /** What counts against it now. */
  debt(allowed: number, authRetryMs: number): number;
}

/** The budget also begins anew so long after the last message, beyond the hold. */
const GRACE_MS = 60_000;

const isGood = (status: number): boolean => (status >= 200 && status < 300) || [403, 404, 405].includes(status);

type Event =
  | { readonly at: number; readonly kind: 'sent' | 'changed' }
  | { readonly at: number; readonly kind: 'told'; readonly status: number };

export function createLogonLedger(now: () => number = Date.now): LogonLedger {
  const logons: Logon[] = [];
  const changes: number[] = [];

  const events = (): Event[] =>
    [
      ...changes.map((at): Event => ({ at, kind: 'changed' })),
      ...logons.map(({ at }): Event => ({ at, kind: 'sent' })),
      ...logons.flatMap(({ told }): Event[] => (told === undefined ? [] : [{ kind: 'told', ...told }])),
    ].toSorted((a, b) => a.at - b.at);

  const replay = (allowed: number, authRetryMs: number): { worst: number; debt: number } => {
    let debt = 0;
    let worst = 0;
    let last = Number.NEGATIVE_INFINITY;
    for (const event of events()) {
      if (event.kind === 'changed') debt = 0;
      if (event.kind === 'told')
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

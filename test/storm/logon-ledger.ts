/** One AUTHENTICATE message that passed the proxy. Times are epoch milliseconds. */
export interface Logon {
  readonly user: string;
  /** Which of the passwords that the daemon was given it proves; absent if none. */
  readonly password: string | undefined;
  readonly at: number;
  /** The verdict of the server, even if the client did not receive it. */
  verdict?: 'good' | 'rejected';
  /** The status that the client received, and when; absent as long as it received none. */
  received?: { readonly status: number; readonly at: number };
}

export interface LogonLedger {
  readonly logons: readonly Logon[];
  /** What the daemon was given, the newest last. */
  readonly passwords: readonly string[];
  add(user: string, password?: string): Logon;
  /** The client received a status for it. */
  answer(logon: Logon, status: number): void;
  /** The daemon gets another password, which may use what is left of the budget. When it reads it, only its messages say. */
  give(password: string): void;
  /**
   * The highest count against the budget at any time (decisions 43 and 69): messages that may have reached the directory after
   * the last good verdict. A rejected one uses up the whole budget of its password, unless that one was accepted before: then the
   * password may be sent once more, a minute later. A count over `allowed` means that a logon
   * was sent that must not be sent.
   */
  worstDebt(allowed: number, authRetryMs: number): number;
  /** The count against the budget now. */
  debt(allowed: number, authRetryMs: number): number;
  /** The highest number of rejected logons in any 31 minutes. */
  worstRejections(): number;
}

/** A message reaches the directory within this time, or never. */
const LATEST_MS = 30_000;

const WINDOW_MS = 31 * 60_000;

/** How long after its rejection a password that was accepted before may be sent once more. */
const CONFIRM_MS = 60_000;

/** The budget is full again when `authRetryMs` and this time have passed since the last message. */
const GRACE_MS = 60_000;

const isGood = (status: number): boolean => (status >= 200 && status < 300) || [403, 404, 405].includes(status);

type Event =
  | { readonly at: number; readonly kind: 'sent'; readonly logon: Logon }
  | { readonly at: number; readonly kind: 'received'; readonly status: number; readonly logon: Logon };

/** Finer than milliseconds: a client logs on again within less. */
const preciseNow = (): number => performance.timeOrigin + performance.now();

export function createLogonLedger(now: () => number = preciseNow): LogonLedger {
  const logons: Logon[] = [];
  const passwords: string[] = [];

  const events = (): Event[] =>
    [
      ...logons.map((logon): Event => ({ at: logon.at, kind: 'sent', logon })),
      ...logons.flatMap((logon): Event[] =>
        logon.received === undefined ? [] : [{ kind: 'received', logon, ...logon.received }],
      ),
    ].toSorted((a, b) => a.at - b.at);

  const replay = (allowed: number, authRetryMs: number): { worst: number; debt: number } => {
    let counted: Logon[] = [];
    const rejected = new Set<string | undefined>();
    /** When a password was rejected that was accepted before. */
    const unconfirmed = new Map<string | undefined, number>();
    /** The password that was accepted last, if it was not rejected since. */
    let accepted: { readonly password: string | undefined } | undefined;
    let worst = 0;
    let last = Number.NEGATIVE_INFINITY;
    for (const event of events()) {
      if (event.kind === 'received' && isGood(event.status)) {
        counted = counted.filter((logon) => logon !== event.logon && logon.at > event.logon.at - LATEST_MS);
        const { password } = event.logon;
        accepted = { password };
        for (const other of unconfirmed.keys()) if (other !== password) rejected.add(other);
        unconfirmed.clear();
      } else if (event.kind === 'received') {
        if (event.status !== 401) continue;
        // of a password, so that a verdict on an earlier one does not stop this one
        const { password } = event.logon;
        if (accepted === undefined || accepted.password !== password) {
          rejected.add(password);
          continue;
        }
        unconfirmed.set(password, event.at);
        accepted = undefined;
      } else {
        if (event.at - last >= authRetryMs + GRACE_MS) {
          counted = [];
          rejected.clear();
          unconfirmed.clear();
        }
        last = event.at;
        counted.push(event.logon);
        const { password } = event.logon;
        const isTooEarly = event.at - (unconfirmed.get(password) ?? Number.NEGATIVE_INFINITY) < CONFIRM_MS;
        worst = Math.max(worst, rejected.has(password) || isTooEarly ? allowed + 1 : counted.length);
      }
    }
    const current = passwords.at(-1);
    return {
      worst,
      debt: rejected.has(current) || unconfirmed.has(current) ? Math.max(allowed, counted.length) : counted.length,
    };
  };

  return {
    logons,
    passwords,
    add: (user, password) => {
      const logon: Logon = { user, password, at: now() };
      logons.push(logon);
      return logon;
    },
    answer: (logon, status) => {
      logon.received = { status, at: now() };
    },
    give: (password) => passwords.push(password),
    worstDebt: (allowed, authRetryMs) => replay(allowed, authRetryMs).worst,
    debt: (allowed, authRetryMs) => replay(allowed, authRetryMs).debt,
    worstRejections: () => {
      const times = logons.filter(({ verdict }) => verdict === 'rejected').map(({ at }) => at);
      return Math.max(0, ...times.map((end) => times.filter((at) => at <= end && end - at < WINDOW_MS).length));
    },
  };
}

import { ntHash } from '../../src/base/ntlm/primitives.ts';
import { type Cleanup, startAnalyzer, testLimits } from '../support/harness.ts';
import { peer } from '../support/peers.ts';
import { type BadLogons, startSambaAccounts } from '../support/samba-accounts.ts';
import { startSambaFront } from '../support/samba-front.ts';

/** An analyzer whose data never changes. It verifies and counts logons. */
export interface Referee {
  readonly name: string;
  /** Base URL of the Query API. */
  readonly url: string;
  badLogons(user: string): BadLogons;
  setPassword(user: string, password: string): void;
}

const limits = { ...testLimits, connections: 1000, requestsPerSecond: 10_000_000 };

/** Samba, which locks an account after three bad logons. */
async function startSamba(cleanup: Cleanup, passwords: Readonly<Record<string, string>>): Promise<Referee> {
  const analyzer = await startAnalyzer({}, { gate: 'none', limits });
  cleanup.add(() => analyzer.stop());
  const accounts = await startSambaAccounts(cleanup, 'CORP', passwords);
  const front = await startSambaFront(cleanup, accounts, analyzer.url);
  return { name: 'Samba, lockout threshold 3', url: front.url, ...accounts };
}

/** Our own acceptor, when Samba cannot be started. It counts bad logons, and never locks an account. */
async function startOwn(cleanup: Cleanup, passwords: Readonly<Record<string, string>>): Promise<Referee> {
  const hashes = new Map(Object.entries(passwords).map(([user, password]) => [user, ntHash(password)]));
  const bad = new Map<string, number>();
  const analyzer = await startAnalyzer(
    {},
    {
      limits,
      now: () => Date.now() / 1000,
      gate: {
        domain: 'CORP',
        users: () => [...hashes].map(([name, hash]) => ({ name, ntHash: hash })),
        onVerdict: ({ ok, user = '' }) => bad.set(user, ok ? 0 : (bad.get(user) ?? 0) + 1),
      },
    },
  );
  cleanup.add(() => analyzer.stop());
  return {
    name: 'our own acceptor (Samba is not installed, or this is not root)',
    url: analyzer.url,
    badLogons: (user) => ({ count: bad.get(user) ?? 0, isLocked: false }),
    setPassword: (user, password) => hashes.set(user, ntHash(password)),
  };
}

/** Starts the analyzer with these accounts. It ends with the test. */
export function startReferee(cleanup: Cleanup, passwords: Readonly<Record<string, string>>): Promise<Referee> {
  const isInstalled = peer('winbindd', 'ntlm_auth', 'pdbedit', 'smbpasswd', 'libnss_wrapper.so');
  // winbindd and smbpasswd require root, even for files of the current user
  return isInstalled && process.getuid?.() === 0 ? startSamba(cleanup, passwords) : startOwn(cleanup, passwords);
}

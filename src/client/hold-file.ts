import { randomBytes, scryptSync, timingSafeEqual } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Credentials } from '../ntlm/client-codec.ts';
import type { Hold, HoldStore } from '../ntlm/credential-gate.ts';

interface StoredHold extends Hold {
  /** Hexadecimal. */
  readonly salt: string;
  /** scrypt of account and password: tells whether the credentials changed, and gives neither away. */
  readonly fingerprint: string;
}

interface HoldFile {
  readonly v: 1;
  readonly holds: Readonly<Record<string, StoredHold>>;
}

const account = ({ domain, username }: Credentials): string => `${domain}\\${username}`;

function fingerprint(credentials: Credentials, salt: Buffer): Buffer {
  return scryptSync(JSON.stringify([account(credentials), credentials.password]), salt, 32);
}

function isHoldFile(value: unknown): value is HoldFile {
  const { v, holds } = (value ?? {}) as Partial<HoldFile>;
  if (v !== 1 || typeof holds !== 'object' || holds === null) return false;
  return Object.values(holds).every(
    (hold) =>
      Number.isFinite(hold?.since) &&
      Number.isFinite(hold.retryAt) &&
      typeof hold.salt === 'string' &&
      typeof hold.fingerprint === 'string',
  );
}

/**
 * Keeps holds in a file of mode 0600, so that neither a service that restarts in a loop nor a command beside it spends
 * further logons. Problems with the file are reported and otherwise treated as "no hold".
 *
 * @param onProblem told in one line what is wrong and what to do
 */
export function createHoldFile(path: string, onProblem: (problem: string) => void): HoldStore {
  const read = (): HoldFile['holds'] => {
    let text: string;
    try {
      text = readFileSync(path, 'utf8');
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT') onProblem(`${path} cannot be read (${code}); check its owner and mode`);
      return {};
    }
    try {
      const value: unknown = JSON.parse(text);
      if (isHoldFile(value)) return value.holds;
    } catch {
      // reported below, like every other damage
    }
    onProblem(`${path} is damaged and is not used; remove it`);
    return {};
  };

  return {
    load: (credentials) => {
      const stored = read()[account(credentials)];
      if (stored === undefined) return undefined;
      const expected = Buffer.from(stored.fingerprint, 'hex');
      const actual = fingerprint(credentials, Buffer.from(stored.salt, 'hex'));
      if (expected.length !== actual.length || !timingSafeEqual(expected, actual)) return undefined;
      return { since: stored.since, retryAt: stored.retryAt };
    },
    save: (credentials, hold) => {
      const { [account(credentials)]: _replaced, ...others } = read();
      const salt = randomBytes(16);
      const holds =
        hold === undefined
          ? others
          : {
              ...others,
              [account(credentials)]: {
                ...hold,
                salt: salt.toString('hex'),
                fingerprint: fingerprint(credentials, salt).toString('hex'),
              },
            };
      try {
        // `recursive` never returns where a parent cannot be made, in /proc for one
        if (!existsSync(dirname(path))) mkdirSync(dirname(path), { mode: 0o700 });
        const temporary = `${path}.${process.pid}.tmp`;
        writeFileSync(temporary, `${JSON.stringify({ v: 1, holds } satisfies HoldFile)}\n`, { mode: 0o600 });
        renameSync(temporary, path);
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        onProblem(`${path} cannot be written (${code}); a restart may spend another logon; check storage.path`);
      }
    },
  };
}

import { PART } from './stand-ins.ts';

/**
 * Names of features and vendor daemons, which stay as they are. One that contains the name of a user, host or group does not:
 * it would show that name.
 */
export class KeptNames {
  readonly #names: ReadonlySet<string>;
  /** Those that contain a name, and are replaced. */
  readonly replaced: number;

  /**
   * @param names of features and daemons
   * @param parts of the names of users, hosts, servers and groups, in lower case
   */
  constructor(names: Iterable<string>, parts: Iterable<string>) {
    const all = new Set(names);
    const personal = new Set(parts);
    const long = [...personal].filter((part) => part.length > MAX_CHANCE);
    const kept = [...all].filter((name) => !contains(name.toLowerCase(), personal, long));
    this.#names = new Set(kept);
    this.replaced = all.size - kept.length;
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }
}

/** So many letters are part of many words by chance. */
const MAX_CHANCE = 3;
/** A shorter word between other characters, as in `f_2`. */
const MIN_PART = 3;

function contains(name: string, personal: ReadonlySet<string>, long: readonly string[]): boolean {
  if (personal.has(name)) return true;
  const parts = name.match(PART) ?? [];
  if (parts.some((part) => part.length >= MIN_PART && personal.has(part))) return true;
  return long.some((part) => name.includes(part));
}

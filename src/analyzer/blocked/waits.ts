import type { BlockedCause, EndedWaits, Ending } from '../../base/model/observation/observation.ts';

/** A wait of a person that is over. */
export interface Wait {
  readonly person: number;
  readonly cause: BlockedCause;
  readonly ended: Ending;
  readonly seconds: number;
}

/** `CORP\alice`, `alice@corp.example` and `Alice` are one person. */
export const personName = (user: string): string =>
  user
    .slice(user.lastIndexOf('\\') + 1)
    .replace(/(?<=.)@.*$/s, '')
    .toLowerCase();

/** The waits for a feature on one day, as counts. */
export class WaitsOfDay {
  readonly #people = new Set<number>();
  readonly #rows = new Map<string, EndedWaits>();

  add({ person, cause, ended, seconds }: Wait): void {
    const key = `${cause} ${ended}`;
    const row = this.#rows.get(key) ?? { cause, ended, episodes: 0, seconds: 0, people: 0 };
    this.#rows.set(key, {
      ...row,
      episodes: row.episodes + 1,
      seconds: row.seconds + seconds,
      people: row.people + (this.#people.has(person) ? 0 : 1),
    });
    this.#people.add(person);
  }

  hasWaited(person: number): boolean {
    return this.#people.has(person);
  }

  /** What was added since this was called last. */
  take(): readonly EndedWaits[] {
    const taken = [...this.#rows.values()];
    this.#rows.clear();
    return taken;
  }
}

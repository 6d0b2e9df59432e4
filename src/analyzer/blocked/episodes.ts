import type { Ending } from '../../base/model/observation/observation.ts';

/**
 * Episodes of people who wait for a license: from the first refusal to the first checkout, in all logs together. Logs are read one
 * after another, and their clocks differ, so that what they say is put in order first. Times are epoch seconds.
 */

/** A person waits for a feature, or has waited. @typeParam W what was refused */
export interface Episode<W> {
  /** Of the first refusal that says most. */
  what: W;
  from: number;
  /** The last refusal, or the checkout. */
  to: number;
}

/** Lines of one log about one person and feature that follow closely. */
interface Said<W> {
  readonly log: number;
  from: number;
  to: number;
  /** What was refused; undefined for checkouts. */
  readonly what: W | undefined;
  /** Seconds by which its times can be wrong. */
  readonly within: number;
}

/** Without a refusal for so long, the person has given up. */
const GIVEN_UP = 900;
/** Lines that follow each other within this are one run: clients repeat a request every few seconds. */
const RUN = 20;
/** A refusal was none if a checkout follows in the same log within this. */
const SAME_LOG = 5;
/** The same for another log, before or after: its clock can be another one. */
const OTHER_LOG = 45;
/** Of a log whose lines have the minute alone, which are in its middle. */
export const HALF_MINUTE = 30;
/** Later than this, nothing changes what an earlier line means. */
export const SETTLED = OTHER_LOG + SAME_LOG + HALF_MINUTE;
/** Checkouts that a late line of another log may refer to. */
const REMEMBERED = SETTLED + OTHER_LOG + HALF_MINUTE;

/** One person and feature. */
export class Pair<W> {
  /** A number that stands for the person. */
  readonly person: number;
  /** In the order in which it was read. */
  readonly said: Said<W>[] = [];
  /** Checkouts of the last minute. */
  checkouts: Said<W>[] = [];
  open: Episode<W> | undefined;
  /** Lines that have no date yet, and are said later. */
  undated = 0;

  constructor(person: number) {
    this.person = person;
  }

  get isEmpty(): boolean {
    return this.said.length + this.checkouts.length + this.undated === 0 && this.open === undefined;
  }

  /** A line says so. @param what was refused; undefined for a checkout @param within seconds by which the time can be wrong */
  say(log: number, at: number, what: W | undefined, within = 0): void {
    const last = this.said.at(-1);
    if (last?.log === log && last.what === what && at >= last.from && at - last.to <= RUN) {
      last.to = Math.max(last.to, at);
    } else this.said.push({ log, from: at, to: at, what, within });
  }
}

/** The parts of a run of refusals that no checkout makes void. */
function withoutVoid<W>(run: Said<W>, checkouts: readonly Said<W>[]): readonly Said<W>[] {
  let parts: readonly Said<W>[] = [run];
  for (const { log, from, to } of checkouts) {
    const begin = from - run.within - (log === run.log ? SAME_LOG : OTHER_LOG);
    const end = to + run.within + (log === run.log ? 0 : OTHER_LOG);
    parts = parts.flatMap((part) =>
      part.to < begin || part.from > end
        ? [part]
        : [
            ...(part.from < begin ? [{ ...part, to: begin }] : []),
            ...(part.to > end ? [{ ...part, from: Math.max(part.from, end) }] : []),
          ],
    );
  }
  return parts;
}

/** What is told of episodes. */
export interface EpisodeEvents<W> {
  /** Of two refusals of one episode, whether the later one says more. */
  saysMore(later: W, earlier: W): boolean;
  begun(episode: Episode<W>, pair: Pair<W>): void;
  ended(episode: Episode<W>, pair: Pair<W>, ending: Ending): void;
}

const keyOf = (person: number, feature: string): string => `${person} ${feature.toLowerCase()}`;

/** Finds episodes in what logs say. */
export class Episodes<W> {
  readonly #events: EpisodeEvents<W>;
  /** By feature and person. */
  readonly #pairs = new Map<string, Pair<W>>();

  constructor(events: EpisodeEvents<W>) {
    this.#events = events;
  }

  /** @param feature letters of another case are the same */
  pair(person: number, feature: string): Pair<W> {
    const key = keyOf(person, feature);
    const known = this.#pairs.get(key) ?? new Pair<W>(person);
    this.#pairs.set(key, known);
    return known;
  }

  /** Undefined if nothing is remembered of it. */
  known(person: number, feature: string): Pair<W> | undefined {
    return this.#pairs.get(keyOf(person, feature));
  }

  /**
   * Everything that logs say until a time was read.
   *
   * @param now by the clock of the logs
   */
  passTo(until: number, now: number): void {
    const before = Math.min(until, now - SETTLED);
    for (const [key, pair] of this.#pairs) {
      this.#read(pair, before);
      if (pair.open !== undefined && now - SETTLED - pair.open.to > GIVEN_UP) this.#end(pair, pair.open, 'gave_up');
      if (pair.isEmpty) this.#pairs.delete(key);
    }
  }

  /** Nobody watches any longer. */
  end(): void {
    for (const pair of this.#pairs.values()) {
      this.#read(pair, Number.POSITIVE_INFINITY);
      if (pair.open !== undefined) this.#end(pair, pair.open, 'lost');
    }
    this.#pairs.clear();
  }

  #read(pair: Pair<W>, before: number): void {
    const checkouts = [...pair.checkouts, ...pair.said.filter(({ what }) => what === undefined)];
    const later: Said<W>[] = [];
    const now: Said<W>[] = [];
    for (const one of pair.said) {
      if (one.from > before) later.push(one);
      else if (one.what === undefined) now.push(one);
      else {
        // of a run that goes on, the rest is read later
        if (one.to > before) later.push({ ...one, from: before });
        now.push(...withoutVoid({ ...one, to: Math.min(one.to, before) }, checkouts));
      }
    }
    now.sort((a, b) => a.from - b.from);
    for (const one of now) this.#step(pair, one);
    pair.said.splice(0, pair.said.length, ...later);
    pair.checkouts = checkouts.filter((one) => one.to >= before - REMEMBERED && !later.includes(one));
  }

  #step(pair: Pair<W>, { from, to, what }: Said<W>): void {
    let { open } = pair;
    if (what === undefined) {
      if (open !== undefined && to >= open.from) {
        open.to = Math.max(open.from, from);
        this.#end(pair, open, 'got');
      }
      return;
    }
    if (open !== undefined && from - open.to > GIVEN_UP) {
      this.#end(pair, open, 'gave_up');
      open = undefined;
    }
    if (open === undefined) {
      pair.open = { what, from, to };
      this.#events.begun(pair.open, pair);
      return;
    }
    if (this.#events.saysMore(what, open.what)) open.what = what;
    open.from = Math.min(open.from, from);
    open.to = Math.max(open.to, to);
  }

  #end(pair: Pair<W>, episode: Episode<W>, ending: Ending): void {
    pair.open = undefined;
    this.#events.ended(episode, pair, ending);
  }
}

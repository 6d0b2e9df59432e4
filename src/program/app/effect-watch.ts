import type { Log } from '../../base/model/log.ts';
import { createLatestOnly } from '../../base/scheduling/limit.ts';
import { runSliced } from '../../base/scheduling/slices.ts';
import type { Config } from '../config/config.ts';
import { type Known, lookAt, type NamedPart, shortened } from '../config/effects/effect.ts';
import { completenessOf, type SiteNames } from '../config/effects/site-names.ts';
import { inOrder, type Problem, problemText } from '../config/problems.ts';

const FAILED = 'it is not known whether all settings have an effect';

/** The names that are listed when it is read. */
type ReadNames = () => Generator<void, SiteNames>;

/** What a daemon knows beside the site, and the parts whose files it follows. */
export interface EffectWatchOptions {
  /** The parts of the owners and prices of now. */
  readonly followed: () => readonly NamedPart[];
  readonly known: () => Omit<Known, 'site'>;
  readonly log: Log;
}

/**
 * Logs each pattern and each name of the configuration that has no effect, once: at once if the configuration alone shows it, else as
 * soon as the analyzer has listed all that it could be about. After a reload it begins again.
 */
export class EffectWatch {
  readonly #options: EffectWatchOptions;
  #config: Config | undefined;
  #read: ReadNames | undefined;
  /** Those of which it is not known yet; `undefined` for all. */
  #waiting: readonly NamedPart[] | undefined;
  #completeness = '';
  /** Counts how often it has begun. */
  #beginnings = 0;
  #told = new Set<string>();

  constructor(options: EffectWatchOptions) {
    this.#options = options;
  }

  /** Begins with a configuration, unless it is the one of before. */
  use(config: Config): void {
    if (config === this.#config) return;
    this.#config = config;
    this.#told = new Set();
    this.#tell(config.withoutEffect);
    this.#read = undefined;
    this.#begin();
  }

  /** Looks at everything again: a file of the configuration has changed. What was said is not said again. */
  renew(): void {
    this.#begin();
    this.#look().catch((error: unknown) => this.#options.log.error({ err: error }, FAILED));
  }

  /** Looks at what waits for the names that are listed now. */
  see(read: ReadNames): Promise<void> {
    this.#read = read;
    return this.#waiting?.length === 0 ? Promise.resolve() : this.#look();
  }

  #tell(problems: readonly Problem[]): void {
    const found = problems.filter((problem) => !this.#told.has(problemText(problem)));
    for (const problem of found) this.#told.add(problemText(problem));
    for (const text of shortened(found)) this.#options.log.warn({}, text);
  }

  #begin(): void {
    this.#beginnings += 1;
    this.#waiting = undefined;
  }

  readonly #look = createLatestOnly(async () => {
    const [config, read, waiting, beginnings] = [this.#config, this.#read, this.#waiting, this.#beginnings];
    if (config === undefined || read === undefined) return;
    const { followed, known } = this.#options;
    const site = await runSliced(read());
    const completeness = completenessOf(site);
    if (waiting !== undefined && completeness === this.#completeness) return;
    const parts = waiting ?? [...config.named, ...followed()];
    const { problems, unknown } = await runSliced(lookAt(parts, { ...known(), site }));
    // another look follows
    if (beginnings !== this.#beginnings) return;
    this.#waiting = unknown;
    this.#completeness = completeness;
    this.#tell(inOrder(problems));
  });
}

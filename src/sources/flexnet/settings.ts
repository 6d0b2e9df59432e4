import type { SourceSettings } from '../source-settings.ts';
import { createSourceTime, type SourceTime } from '../times.ts';
import type { LmstatContext } from './lmstat.ts';
import type { Split } from './user-words.ts';

/** What the configuration of a source says of its output. */
export interface FlexnetSettings {
  /** `port@host` in lower case, one or the three of a triad. The first one names the vendor licenses. */
  readonly servers: readonly string[];
  /** Third part of the names of its vendor licenses, empty without one. */
  readonly part: string;
  /** Vendor daemons. They are used only if the output names none. */
  readonly daemons: readonly string[];
  /** A license with a linger time of at least this many seconds is borrowed. */
  readonly lingerAtLeast: number;
  /** How user and host are distinguished, see `splitLeft`. */
  readonly split: Split;
  /** Whether features that the license server does not support are left out. */
  readonly dropUnsupported: boolean;
  /** `include` is empty for all features. */
  readonly features: { readonly include: readonly RegExp[]; readonly exclude: readonly RegExp[] };
  /** Calendar of the zone in which the output has its times. */
  readonly localTime: SourceTime;
}

/** What reading FlexNet needs of the settings of a source. */
export function flexnetSettings(settings: Omit<SourceSettings, 'via'>): FlexnetSettings {
  const { servers, part, daemons, borrow, users, features, timeZone, calendarZone } = settings;
  return {
    servers,
    part,
    daemons,
    lingerAtLeast: borrow.lingerAtLeast,
    split: users.split,
    dropUnsupported: features.dropUnsupported,
    features,
    localTime: createSourceTime(timeZone, calendarZone),
  };
}

/** What is remembered from one output of a source to the next. */
export interface FlexnetMemory {
  /** Hosts of users, a limited number. */
  readonly knownHosts: ReadonlySet<string>;
  /** Whether any output had a queue. Before, an output without one does not say that nobody waits. */
  readonly hasSeenQueue: boolean;
  /**
   * The daemons that served a feature, by feature. Only a checkout shows it: without this, a feature would belong to another
   * vendor license while none of its licenses is in use.
   */
  readonly daemons: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Before the first output. */
export const noMemory: FlexnetMemory = { knownHosts: new Set(), hasSeenQueue: false, daemons: new Map() };

/** @param now time of the output, epoch seconds; its years are found relative to it if it prints no time */
export const lmstatContext = (
  { localTime, split }: FlexnetSettings,
  { knownHosts }: FlexnetMemory,
  now: number,
): LmstatContext => ({ localTime, now, split, knownHosts });

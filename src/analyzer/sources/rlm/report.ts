import type { Diagnostics } from '../../../base/model/observation/source.ts';
import type { CalendarDay, ClockTime, Expiry } from '../times.ts';

/** What `rlmstat` printed, before it is interpreted. Times are epoch seconds. */
export interface RlmReport {
  /** Hosts whose master server answered, as the tool names them. More than one if several outputs are in the text. */
  readonly masters: readonly RlmMaster[];
  /** In the order of the table of ISV servers. */
  readonly isvs: readonly RlmIsv[];
  readonly errors: readonly RlmError[];
  /** The time at which the tool ran, by the statistics of the server. */
  readonly referenceTime: number | undefined;
  /** Whether anything was printed. */
  readonly hasText: boolean;
  /** Whether it ends within a line that is not understood. */
  readonly isCut: boolean;
  readonly diagnostics: Diagnostics;
}

/** The RLM server that answered. */
export interface RlmMaster {
  readonly host: string;
  readonly port: string;
}

/**
 * - `unreachable`: the tool cannot connect to a server: to `rlm`, the master, or to an ISV server
 * - `unknown_host`: the name of the host has no address
 * - `refused`: the server answers, but not to this client
 * - `no_license_file`: the tool does not know which server it should ask
 * - `other_manager`: the text is that of another license manager
 */
export interface RlmError {
  readonly kind: 'unreachable' | 'unknown_host' | 'refused' | 'no_license_file' | 'other_manager';
  /** The name of the server, for `unreachable`. */
  readonly server?: string;
}

/** An ISV server: the part of RLM that serves the licenses of one software vendor. */
export interface RlmIsv {
  readonly name: string;
  /** By the table of ISV servers; undefined for one that is not in it. */
  readonly isRunning: boolean | undefined;
  readonly pools: readonly RlmPool[];
  readonly usage: readonly RlmUsage[];
  /**
   * The license server of the usage, from the head of its section: rlmremove takes host, port, ISV and handle as they are printed
   * there. Undefined without usage, or if it cannot be the arguments of a tool.
   */
  readonly server: string | undefined;
}

/** `nuke_i v2024.0331, pool: 3`, and the lines below it. Undefined for what was not printed, or not as a number. */
export interface RlmPool {
  readonly product: string;
  readonly version: string;
  /** `Infinity` for `unlimited`. */
  readonly count: number | undefined;
  readonly reserved: number | undefined;
  readonly inUse: number | undefined;
  readonly expires: Expiry;
  /** The licenses are tokens of other products; such a pool has no count. */
  readonly isTokenBased: boolean;
}

/** `nuke_i v2024.0701: user@host 1/0 at 03/28 20:41  (handle: 329)`. */
export interface RlmUsage {
  readonly product: string;
  readonly version: string;
  readonly user: string;
  readonly host: string;
  readonly licenses: number;
  readonly start: RlmStart;
  /** As printed: a hexadecimal number that may end with another letter. */
  readonly handle: string | undefined;
}

/** When a server says that it was started, without a zone. */
export interface RlmStart extends CalendarDay, ClockTime {
  /** No known version of the tool prints it. */
  readonly year?: number;
}

/** A server of a source. Redundant servers are several. */
export interface Member {
  /** `port@host`, as configured. */
  readonly server: string;
  /** Undefined if the last reading did not show it. */
  readonly up: boolean | undefined;
  readonly isMaster: boolean;
}

/** How the output of a license manager gets here. */

/** What a tool, a file or a server gave. */
export interface Output {
  readonly stdout: string;
  /** Empty for files and HTTP. */
  readonly stderr: string;
  /** Undefined for files and HTTP. */
  readonly exitCode: number | undefined;
  /** When the output was made: now, or the time of the file. Epoch seconds. */
  readonly at: number;
  /** The encoding in which a file was read. */
  readonly encoding?: string;
}

/** How a source is read. Each read has its own deadline. */
export interface Transport {
  /**
   * @param args arguments that follow the configured command; files and HTTP ignore them
   * @throws SourceFailure
   */
  read(args: readonly string[], signal: AbortSignal): Promise<Output>;
  /** Stops a running `read`, which fails, and closes connections. */
  close(): Promise<void>;
}

/** The settings that all transports have, from `SourceSettings`. */
export interface TransportSettings {
  /** The name of the source, for messages. */
  readonly label: string;
  /** Seconds. */
  readonly timeout: number;
  /** Bytes. */
  readonly maxOutput: number;
  readonly encoding: string | undefined;
}

/** What a tool says: some tools print everything on standard error. */
export const textOf = ({ stdout, stderr }: Pick<Output, 'stdout' | 'stderr'>): string =>
  stdout.trim() === '' ? stderr : stdout;

import { uptime } from 'node:os';
import { createPlaces, type Places } from '../../../base/scheduling/places.ts';
import type { AnalyzerSettings } from '../source-settings.ts';
import { type SendSignal, sendSignal } from './processes.ts';
import { createReaper, type Reaper } from './reaper.ts';
import { SharedWork } from './shared-work.ts';
import type { Transport, TransportSettings } from './transport.ts';
import { runPrefix, WorkFolder } from './work-folder.ts';

/** Tools of all sources that run at once. */
const TOOLS = 4;
/** Of each kind of work on files, how much may hang at once: Node has four threads for all files. */
const FILES = 2;

/** What the transports of all sources share. */
export interface TransportHost {
  readonly places: Places;
  readonly toolChecks: SharedWork;
  readonly files: SharedWork;
  readonly workFolder: WorkFolder;
  readonly reaper: Reaper;
  readonly sendSignal: SendSignal;
  /** Epoch seconds. */
  readonly now: () => number;
  /** Seconds, for ages: it goes on while the clock is set. */
  readonly elapsed: () => number;
  /** Asks another analyzer: the arguments of a read are an endpoint and its parameters, `name=value`. */
  readonly analyzer: (settings: AnalyzerSettings & TransportSettings) => Transport;
  /** To be called when all transports are closed. */
  close(): void;
}

/** Where tools run, and who is told of problems. */
export interface TransportHostOptions {
  /** Where the working directories of tools are created. It is created if its parent exists. */
  readonly workFolder: string;
  readonly now: () => number;
  readonly analyzer?: TransportHost['analyzer'];
  /** A sentence for the log: the sources work, but less safely. */
  readonly onProblem: (message: string) => void;
  /** For tests: how time passes, the shell of the reaper, and how signals are sent. */
  readonly elapsed?: () => number;
  readonly shell?: string;
  readonly sendSignal?: SendSignal;
}

/** Runs the tools and requests of all sources, a few at a time. */
export function createTransportHost(options: TransportHostOptions): TransportHost {
  const { workFolder, now, onProblem, shell } = options;
  const reaper = createReaper({
    folderPrefix: (token) => runPrefix(workFolder, token),
    onProblem,
    ...(shell !== undefined && { shell }),
  });
  return {
    places: createPlaces(TOOLS),
    toolChecks: new SharedWork(createPlaces(FILES)),
    files: new SharedWork(createPlaces(FILES)),
    workFolder: new WorkFolder(workFolder, reaper.token),
    reaper,
    sendSignal: options.sendSignal ?? sendSignal,
    now,
    elapsed: options.elapsed ?? uptime,
    analyzer:
      options.analyzer ??
      (() => {
        throw new Error('no client of analyzers was given');
      }),
    close: () => reaper.close(),
  };
}

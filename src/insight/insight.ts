import { join } from 'node:path';
import { createLocalTime } from '../base/model/local-time.ts';
import type { Prices } from '../base/model/prices.ts';
import { nextRunOnce } from '../base/scheduling/runs.ts';
import { RIGHTSIZING_FILE } from '../base/storage/saved-files.ts';
import { analyzerIdentity, type Identified } from '../exporter/client/identity.ts';
import type { Exporter } from '../exporter/exporter.ts';
import { createAskedSource } from './advice/pass/asked-demand-source.ts';
import type { PassInputs } from './advice/pass/nightly-pass.ts';
import { createProposalSource, type ProposalSource } from './advice/pass/proposals.ts';
import { createRecordedSource, type Owns, type RecordedHistory } from './advice/pass/recorded-demand-source.ts';
import type { AdviceTable, Rightsizing } from './advice/pass/rightsizing.ts';
import type { RightsizingSection } from './advice/pass/settings.ts';

/** Wires the advice on the number of licenses. */

/** What the advice reads of the configuration. */
export interface InsightConfig extends Identified {
  readonly rightsizing: Omit<RightsizingSection, 'priceFile'>;
  readonly storage: { readonly path: string | undefined };
  /** Whether the people who waited are known. */
  readonly people: boolean;
  /** The zone of the days of an analyzer that is polled. */
  readonly datasource: { readonly timeZone: string };
}

/** What the advice is made from. */
export interface InsightNeighbors {
  readonly exporter: Pick<Exporter, 'asked' | 'concurrency' | 'selection' | 'inventory'>;
  /** The history of an analyzer in this process; `undefined` without one. */
  readonly recorded: (RecordedHistory & { readonly origin: string }) | undefined;
  /** The advice, which survives a reload. */
  readonly rightsizing: Rightsizing;
  /** The prices of licenses. They can change at any time. */
  readonly prices: () => Prices;
  /** Epoch seconds. */
  readonly now: () => number;
}

/** What others read of the advice. */
export interface Insight {
  /** What the nightly pass computes it from. */
  readonly inputs: PassInputs;
  /** What is reported here. */
  readonly owns: Owns;
  /** The results of the last pass for metrics and alerts; `undefined` before the first. */
  forecasts():
    | (Pick<AdviceTable, 'computedAt' | 'rows'> & {
        readonly durationSeconds: number | undefined;
        /** When a local day of the history begins, epoch seconds. */
        readonly startOf: (day: number) => number;
      })
    | undefined;
  readonly proposals: ProposalSource;
}

/** Share of the connections for history. Grafana can take half of them, and polling gets the rest. */
const SHARE = 1 / 4;

/** Which history advice is computed from, and when. */
function inputsOf(config: InsightConfig, { exporter, recorded }: InsightNeighbors, owns: Owns): PassInputs {
  const { rightsizing, storage, datasource, people } = config;
  const { enabled, schedule, tolerance, workingTime, withoutReservations, maxFeatures } = rightsizing;
  const { asked, concurrency, selection, inventory } = exporter;
  const localTime = recorded?.localTime ?? createLocalTime(datasource.timeZone);
  const { rules } = selection;
  return {
    enabled,
    tolerance,
    workingTime,
    withoutReservations,
    file: storage.path === undefined ? undefined : join(storage.path, RIGHTSIZING_FILE),
    inventory: () => inventory.latest(),
    // the name of an analyzer in this process contains the name of the host, which can change
    analyzer: recorded?.origin ?? analyzerIdentity(config).analyzer,
    source:
      recorded === undefined
        ? createAskedSource({
            client: asked,
            localTime,
            concurrency: Math.max(1, Math.floor(concurrency * SHARE)),
            maxFeatures,
          })
        : createRecordedSource(recorded, owns),
    owns,
    scope: JSON.stringify([rules.shard, rules.include.map(String), rules.exclude.map(String), maxFeatures, people]),
    nextRun: (after) => nextRunOnce(schedule, after, localTime.offsetAt),
  };
}

/** Computes nothing yet: the nightly pass does, with the inputs. */
export function createInsight(config: InsightConfig, neighbors: InsightNeighbors): Insight {
  const { exporter, rightsizing, prices, now } = neighbors;
  const { ownsVendorLicense, ownsFeature } = exporter.selection;
  const owns: Owns = ({ vendorLicense, feature }) => ownsVendorLicense(vendorLicense) && ownsFeature(feature);
  const inputs = inputsOf(config, neighbors, owns);
  const { localTime } = inputs.source;
  return {
    inputs,
    owns,
    forecasts: () => {
      const table = rightsizing.latest();
      if (table === undefined) return undefined;
      const { durationSeconds } = rightsizing.status();
      return { computedAt: table.computedAt, durationSeconds, rows: table.rows, startOf: localTime.startOf };
    },
    proposals: createProposalSource({
      rightsizing,
      prices,
      localTime: () => localTime,
      nextPass: () => (inputs.enabled ? inputs.nextRun(now()) : undefined),
    }),
  };
}

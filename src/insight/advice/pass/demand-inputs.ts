import type { RecordedDemand } from '../../../analyzer/history/recorded-demand.ts';
import { createLocalTime } from '../../../base/model/local-time.ts';
import { nextRun } from '../../../base/scheduling/runs.ts';
import type { Selection } from '../../../exporter/inventory/selection.ts';
import { createAskedSource, type HistoryClient } from './asked-demand-source.ts';
import type { PassInputs } from './nightly-pass.ts';
import { createRecordedSource, type Owns } from './recorded-demand-source.ts';
import type { Config } from '../../../program/config/config.ts';
import { analyzerIdentity } from '../../../exporter/client/identity.ts';

/** Where the history is. */
interface HistoryOrigin {
  /** Of an analyzer in this process. */
  readonly recorded: RecordedDemand | undefined;
  /** The client for requests that nobody waits for at a poll. */
  readonly client: HistoryClient;
  /** Requests at once. */
  readonly concurrency: number;
  readonly timeZone: string;
}

/** Share of the connections for history. Grafana can take half of them, and polling gets the rest. */
const SHARE = 1 / 4;

/** Which history advice is computed from, and when. */
export function demandInputs(
  config: Config,
  { rules, ownsVendorLicense, ownsFeature }: Selection,
  { recorded, client, concurrency, timeZone }: HistoryOrigin,
): Pick<PassInputs, 'analyzer' | 'source' | 'owns' | 'scope' | 'nextRun'> {
  const { schedule, maxFeatures } = config.rightsizing;
  const owns: Owns = ({ vendorLicense, feature }) => ownsVendorLicense(vendorLicense) && ownsFeature(feature);
  const localTime = recorded?.localTime ?? createLocalTime(timeZone);
  const source =
    recorded === undefined
      ? createAskedSource({
          client,
          localTime,
          concurrency: Math.max(1, Math.floor(concurrency * SHARE)),
          maxFeatures,
        })
      : createRecordedSource(recorded, owns);
  return {
    // the name of an analyzer in this process contains the name of the host, which can change
    analyzer: recorded?.origin ?? analyzerIdentity(config).analyzer,
    source,
    owns,
    scope: JSON.stringify([rules.shard, rules.include.map(String), rules.exclude.map(String), maxFeatures]),
    nextRun: (after) => nextRun(schedule, after, localTime.offsetAt),
  };
}

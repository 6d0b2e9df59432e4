import Counter from 'prom-client/lib/counter.js';
import Gauge from 'prom-client/lib/gauge.js';
import type { SourceHealth } from '../model/observation/source.ts';
import { parseVendorLicense } from '../model/vendor-license.ts';
import type { MetricName } from './catalogue.ts';
import type { Configuration } from './registry.ts';

type Labels = Readonly<Record<string, string>>;
/** Samples of one source, with the labels that they have beside its own. Without a value, there is no sample. */
type Read = (health: SourceHealth) => readonly (readonly [more: Labels, value: number | undefined])[];

const known = (up: boolean | undefined): number | undefined => (up === undefined ? undefined : Number(up));

/** Registers the metrics of sources. They are read at each scrape, and have no samples without sources. */
export function exposeSources(configuration: Configuration, sources: () => readonly SourceHealth[]): void {
  const samplesOf = function* (read: Read): Generator<readonly [Labels, number], void> {
    for (const health of sources()) {
      const { name: source, manager } = health;
      for (const [more, value] of read(health)) if (value !== undefined) yield [{ source, manager, ...more }, value];
    }
  };
  const gauge = (name: MetricName, read: Read): Gauge =>
    new Gauge({
      ...configuration(name),
      collect() {
        this.reset();
        for (const [labels, value] of samplesOf(read)) this.set(labels, value);
      },
    });
  const counter = (name: MetricName, read: Read): Counter =>
    new Counter({
      ...configuration(name),
      collect() {
        this.reset();
        for (const [labels, value] of samplesOf(read)) this.inc(labels, value);
      },
    });

  gauge('license_source_up', ({ up }) => [[{}, known(up)]]);
  gauge('license_source_member_up', ({ members }) => members.map(({ server, up }) => [{ server }, known(up)]));
  gauge('license_source_failed_readings', ({ failedReadings }) => [[{}, failedReadings]]);
  gauge('license_source_vendor_license_info', ({ vendorLicenses }) =>
    // one with several third parts is one vendor license
    vendorLicenses.map((name) => [{ vendor_license: parseVendorLicense(name).vendorLicense }, 1]),
  );
  gauge('license_source_last_success_timestamp_seconds', ({ lastSuccessAt }) => [[{}, lastSuccessAt]]);
  gauge('license_source_duration_seconds', ({ duration }) => [[{}, duration]]);
  gauge('license_source_unparsed_lines', ({ lastDiagnostics }) => [[{}, lastDiagnostics?.unparsed]]);
  counter('license_source_contradictions_total', ({ contradictions }) => [[{}, contradictions]]);
  counter('license_source_runs_total', ({ runs }) => [...runs].map(([result, count]) => [{ result }, count]));
}

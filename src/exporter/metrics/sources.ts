import type { SourceHealth } from '../../base/model/observation/source.ts';
import { parseVendorLicense } from '../../base/model/vendor-license.ts';
import type { MetricName } from './catalogue.ts';
import type { Expose } from './registry.ts';

/** Samples of one source, with the labels that they have beside its own. */
type Read = (
  health: SourceHealth,
) => readonly (readonly [more: Readonly<Record<string, string>>, value: number | undefined])[];

const known = (up: boolean | undefined): number | undefined => (up === undefined ? undefined : Number(up));

/** Registers the metrics of sources. They have no samples without sources. */
export function exposeSources(expose: Expose, sources: () => readonly SourceHealth[]): void {
  const show = (name: MetricName, read: Read): void =>
    expose(name, () =>
      sources().flatMap((health) => {
        const { name: source, manager } = health;
        return read(health).map(([more, value]) => [{ source, manager, ...more }, value] as const);
      }),
    );
  show('license_source_up', ({ up }) => [[{}, known(up)]]);
  show('license_source_member_up', ({ members }) => members.map(({ server, up }) => [{ server }, known(up)]));
  show('license_source_failed_readings', ({ failedReadings }) => [[{}, failedReadings]]);
  show('license_source_vendor_license_info', ({ vendorLicenses }) =>
    // one with several third parts is one vendor license
    vendorLicenses.map((name) => [{ vendor_license: parseVendorLicense(name).vendorLicense }, 1]),
  );
  show('license_source_last_success_timestamp_seconds', ({ lastSuccessAt }) => [[{}, lastSuccessAt]]);
  show('license_source_duration_seconds', ({ duration }) => [[{}, duration]]);
  show('license_source_unparsed_lines', ({ lastDiagnostics }) => [[{}, lastDiagnostics?.unparsed]]);
  show('license_source_contradictions_total', ({ contradictions }) => [[{}, contradictions]]);
  show('license_source_runs_total', ({ runs }) => [...runs].map(([result, count]) => [{ result }, count]));
}

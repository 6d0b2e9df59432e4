import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';
import { expirations } from './dashboards/expirations.ts';
import { exporter } from './dashboards/exporter.ts';
import { featureDashboard } from './dashboards/feature.ts';
import { optimisation } from './dashboards/optimisation.ts';
import { overview } from './dashboards/overview.ts';
import { vendorLicenseDashboard } from './dashboards/vendor-license.ts';

/** The folder of the generated dashboards. */
export const folder = join(import.meta.dirname, 'json');

/** Corrects what the builder leaves out or adds. */
function finish(built: Dashboard): Dashboard {
  // without ids, Grafana creates new ones at each import
  for (const [i, panel] of (built.panels ?? []).entries()) panel.id = i + 1;
  // links and annotations are shown directly, not in a menu
  const links = [
    ...(built.links ?? []),
    ...(built.panels ?? []).flatMap((panel) => ('links' in panel ? (panel.links ?? []) : [])),
  ];
  for (const placed of [...links, ...(built.annotations?.list ?? [])]) delete placed.placement;
  return built;
}

/** The text of every dashboard, by file name. */
export function renderDashboards(): ReadonlyMap<string, string> {
  const dashboards = [
    overview(),
    vendorLicenseDashboard(),
    featureDashboard(),
    expirations(),
    optimisation(),
    exporter(),
  ];
  return new Map(
    dashboards.map((builder) => {
      const built = finish(builder.build());
      return [`${built.uid}.json`, `${JSON.stringify(built, undefined, 2)}\n`];
    }),
  );
}

if (import.meta.main) {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of renderDashboards()) writeFileSync(join(folder, name), text);
}

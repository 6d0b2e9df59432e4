import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Dashboard, Panel, RowPanel } from '@grafana/grafana-foundation-sdk/dashboard';
import { archive } from './dashboards/archive.ts';
import { expirations } from './dashboards/expirations.ts';
import { exporter } from './dashboards/exporter.ts';
import { featureDashboard } from './dashboards/feature.ts';
import { holders } from './dashboards/holders.ts';
import { optimisation } from './dashboards/optimisation.ts';
import { overview } from './dashboards/overview.ts';
import { vendorLicenseDashboard } from './dashboards/vendor-license.ts';

/** The folder of the generated dashboards. */
export const folder = join(import.meta.dirname, 'json');
/** Apart from the others: it is for sites with an archive, and has another data source. */
const archiveFolder = join(import.meta.dirname, 'archive');

/** All panels of a dashboard, those of closed rows too. */
const panelsOf = ({ panels = [] }: Dashboard): readonly (Panel | RowPanel)[] =>
  panels.flatMap((panel) => ('panels' in panel ? [panel, ...panel.panels] : [panel]));

/** Corrects what the builder leaves out or adds. */
function finish(built: Dashboard): Dashboard {
  const panels = panelsOf(built);
  // without ids, Grafana creates new ones at each import
  for (const [i, panel] of panels.entries()) panel.id = i + 1;
  // a pager is drawn even below one page; 0 leaves it out, and the builder refuses it
  for (const panel of panels) if (panel.type === 'state-timeline') Object.assign(panel.options ?? {}, { perPage: 0 });
  // links and annotations are shown directly, not in a menu
  const links = [...(built.links ?? []), ...panels.flatMap((panel) => ('links' in panel ? (panel.links ?? []) : []))];
  for (const placed of [...links, ...(built.annotations?.list ?? [])]) delete placed.placement;
  return built;
}

/** Ids of panels in place of their titles: `/d/UID?…&viewPanel={{TITLE}}`. @throws Error for a panel that does not exist */
function resolvePanels(text: string, dashboards: readonly Dashboard[]): string {
  return text.replace(/\/d\/([\w-]+)\?([^"\s]*?)\{\{([^}"]+)\}\}/g, (_, uid: string, query: string, title: string) => {
    const found = dashboards.find((dashboard) => dashboard.uid === uid);
    const panel = found === undefined ? undefined : panelsOf(found).find((candidate) => candidate.title === title);
    if (panel === undefined) throw new Error(`${uid} has no panel ${title}`);
    return `/d/${uid}?${query}panel-${panel.id}`;
  });
}

/** The text of every dashboard, by file name. */
export function renderDashboards(): ReadonlyMap<string, string> {
  const dashboards = [
    overview(),
    vendorLicenseDashboard(),
    featureDashboard(),
    expirations(),
    optimisation(),
    holders(),
    exporter(),
  ];
  const built = dashboards.map((builder) => finish(builder.build()));
  return new Map(
    built.map((one) => [`${one.uid}.json`, `${resolvePanels(JSON.stringify(one, undefined, 2), built)}\n`]),
  );
}

/** The text of the dashboard on the archive. */
export const renderArchive = (): string => `${JSON.stringify(finish(archive().build()), undefined, 2)}\n`;

if (import.meta.main) {
  for (const needed of [folder, archiveFolder]) mkdirSync(needed, { recursive: true });
  for (const [name, text] of renderDashboards()) writeFileSync(join(folder, name), text);
  writeFileSync(join(archiveFolder, 'license-archive.json'), renderArchive());
}

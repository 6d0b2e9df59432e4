import { runSliced } from '../../base/scheduling/slices.ts';
import { countText } from '../../base/texts.ts';
import { FeatureDerivation } from '../../exporter/inventory/feature-derivation.ts';
import { deriveInventory } from '../../exporter/inventory/inventory.ts';
import { createSelection } from '../../exporter/inventory/selection.ts';
import { lookAt } from '../config/effects/effect.ts';
import { allParts, knownBy } from '../config/effects/named-settings.ts';
import { type SiteNames, siteNamesOf } from '../config/effects/site-names.ts';
import { inOrder, problemText } from '../config/problems.ts';
import type { Site } from './site.ts';
import { type Evidence, good, type Step, warning } from './step.ts';

/** What the answers of the analyzer name. */
async function namesOf({ kind, config, sources }: Site, { diagnosis }: Evidence): Promise<SiteNames | undefined> {
  const snapshot = diagnosis?.snapshot;
  if (snapshot === undefined) return undefined;
  const { shard, select, metrics } = config;
  const policy = { ...createSelection({ shard, ...select }), usageWhenNotCurrent: metrics.usageWhenNotCurrent };
  const derived = deriveInventory({ snapshot, now: snapshot.at, policy, features: new FeatureDerivation() });
  const inventory = await runSliced(derived);
  // the history, and what was listed before, belong to a daemon, which may be running
  const recorded = () => (kind === 'own' ? undefined : []);
  const remembered = () => undefined;
  return runSliced(siteNamesOf({ snapshot, inventory, sources, recorded, remembered, shards: shard.total }));
}

/** Whether each pattern and each name of the configuration has an effect. What the configuration alone shows is said with it. */
export const settingsStep: Step = {
  name: 'settings',
  exit: 'configuration',
  needs: ['endpoints'],
  applies: ({ config }) => allParts(config).length > 0,
  check: async (site, evidence) => {
    const { config } = site;
    const known = knownBy(config);
    const parts = allParts(config);
    const names = await namesOf(site, evidence);
    const { problems, unknown } = await runSliced(lookAt(parts, { ...known, site: names }));
    const said = new Set(config.withoutEffect.map(problemText));
    const [first, ...others] = inOrder(problems)
      .map(problemText)
      .filter((text) => !said.has(text));
    if (first !== undefined) return warning(first, ...others);
    const count = countText(parts.length, 'pattern or name was', 'patterns and names were');
    const rest = unknown.length === 0 ? '' : `; of ${unknown.length} it is not known whether anything has them`;
    return good(`${count} looked up${rest}`);
  },
};

import type { Labels } from '../../../../src/alerting/alerts/alert.ts';
import type { EngineRuleName } from '../../../../src/alerting/alerts/definitions.ts';
import { type About, type Condition, conditionOf, dayOf, ownAlerts } from './conditions.ts';
import { engineRules, settings } from './engine-run.ts';
import { Facts } from './facts.ts';
import { subjectOf } from './firing.ts';
import type { ToldFrame } from './frames.ts';
import { aheadOf, endpoints, type History } from './history.ts';
import { Memory } from './memory.ts';
import { selectionOf } from './site-owners.ts';

/** What the oracle finds about each alert of a history, process by process. */

/** Something that an alert can be about. */
interface Subject {
  readonly text: string;
  readonly name: EngineRuleName;
  readonly about: About;
}

/** What one process finds at one tick. */
export interface Findings {
  /** By what the alerts are about: all that a process can find, in its share of the site. */
  readonly conditions: ReadonlyMap<string, Condition>;
  /** Names of the alerts of which something is not known. */
  readonly unknown: ReadonlySet<string>;
}

/** The longest average of a condition, seconds. */
const { window } = settings.LicenseFeatureSaturated.base;

export class FindingsRun {
  readonly #history: History;
  readonly #memories = new Map<number, { memory: Memory; tick: number }>();
  /** The days on which the licenses of a feature were said to expire. */
  readonly #days = new Map<number, Set<string>>();

  constructor(history: History) {
    this.#history = history;
  }

  /** @param says whether the process says that an alert fires, by what it is about */
  findings(frame: ToldFrame, says: (subject: string) => boolean): Findings {
    const history = this.#history;
    const facts = new Facts(history, frame);
    const memory = this.#memoryOf(frame);
    const { ownsVendorLicense } = selectionOf(history.replicas[frame.replica]);
    memory.observe(facts, ownsVendorLicense, window);
    for (const index of history.features.keys()) {
      const at = facts.expiration(index);
      if (at === undefined) continue;
      const days = this.#days.get(index) ?? new Set();
      this.#days.set(index, days.add(dayOf(at)));
    }
    const subjects = this.#subjects().filter(
      ({ about: { vendorLicense } }) => vendorLicense === '' || ownsVendorLicense(vendorLicense),
    );
    for (const { text, name, about } of subjects) {
      if (name === 'LicenseVendorLicenseVanished' && says(text))
        memory.takeVanished(memory.vendorLicenses.get(about.vendorLicense), frame.now);
      if (name === 'LicenseFeatureVanished' && says(text))
        memory.takeVanished(memory.features.get(about.feature), frame.now);
    }
    const known = { facts, memory, settings };
    const conditions = new Map<string, Condition>();
    const unknown = new Set<string>();
    for (const { text, name, about } of subjects) {
      const condition = conditionOf(name, known, about);
      conditions.set(text, condition);
      if (condition === 'unknown' || condition === 'open') unknown.add(name);
    }
    // then it may be that nothing is known
    const isVague = facts.isBlank || facts.isListEmpty || facts.isListRefused;
    const ofSite: readonly string[] = ['site', 'endpoint', 'source'];
    for (const [name, { each, isKnown }] of Object.entries(ownAlerts)) {
      const lacksSome = memory.lacksSome(frame.now) && !ofSite.includes(each);
      if (isVague || lacksSome || !isKnown(known)) unknown.add(name);
    }
    return { conditions, unknown };
  }

  #memoryOf({ replica, begins, tick }: ToldFrame): Memory {
    const history = this.#history;
    const own = this.#memories.get(replica);
    const from = own ?? this.#memories.get(history.replicas[replica]?.continues ?? -1);
    const kept = begins === 'fresh' ? undefined : from?.memory;
    const memory = begins === undefined && own !== undefined ? own.memory : (kept?.copy() ?? new Memory(history));
    if (begins === 'set') memory.move(aheadOf(history, replica, tick) - aheadOf(history, replica, own?.tick ?? tick));
    this.#memories.set(replica, { memory, tick });
    return memory;
  }

  #subjects(): readonly Subject[] {
    return engineRules.flatMap(({ name, severity }) =>
      this.#eachOf(name as EngineRuleName).map((part): Subject => {
        const { labels, ...about } = part;
        const text = subjectOf({ alertname: name, severity, ...labels });
        const none = { vendorLicense: '', feature: -1, endpoint: '', source: '', expires: '' };
        return { text, name: name as EngineRuleName, about: { ...none, ...about, severity } };
      }),
    );
  }

  /** All that an alert can be about. */
  #eachOf(name: EngineRuleName): readonly (Partial<About> & { readonly labels: Labels })[] {
    const { vendorLicenses, features, sources } = this.#history;
    const nameOf = (index: number): string => vendorLicenses[index] ?? '';
    const ofFeatures = features.map(({ feature: named, vendorLicense: owner }, feature) => {
      const vendorLicense = nameOf(owner);
      return { vendorLicense, feature, labels: { vendor_license: vendorLicense, feature: named } };
    });
    const ofSource = (source: string): Labels => ({ license_source: source, manager: 'flexnet' });
    switch (ownAlerts[name].each) {
      case 'site':
        return [{ labels: {} }];
      case 'endpoint':
        return endpoints.map((endpoint) => ({ endpoint, labels: { endpoint } }));
      case 'source':
        return sources.map(({ name: source }) => ({ source, labels: ofSource(source) }));
      case 'vendor license of source':
        return sources.flatMap(({ name: source, vendorLicenses: owned }) =>
          [...owned.map(nameOf), ''].map((vendorLicense) => {
            const of = vendorLicense === '' ? {} : { vendor_license: vendorLicense };
            return { source, vendorLicense, labels: { ...ofSource(source), ...of } };
          }),
        );
      case 'vendor license':
        return vendorLicenses.map((vendorLicense) => ({ vendorLicense, labels: { vendor_license: vendorLicense } }));
      case 'feature':
        return ofFeatures;
      case 'expiry':
        return ofFeatures.flatMap(({ labels, ...about }) =>
          [...(this.#days.get(about.feature) ?? [])].map((expires) => ({
            ...about,
            expires,
            labels: { ...labels, ...(expires !== '' && { expires }) },
          })),
        );
    }
  }
}

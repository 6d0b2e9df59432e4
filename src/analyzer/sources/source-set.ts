import type { SourceHealth } from '../../base/model/observation/source.ts';
import type { ManagerSource } from './manager-source.ts';
import type { SourceSettings } from './source-settings.ts';

/** The sources of an analyzer. */
export interface SourceSet {
  /** In the order of the settings. A source whose settings have not changed stays the same object. */
  sources(): readonly ManagerSource[];
  health(): readonly SourceHealth[];
  /** Sources that are no longer there are closed once `sources` is no longer used. */
  replace(settings: readonly SourceSettings[]): Promise<void>;
  close(): Promise<void>;
}

/** Two settings with the same key mean the same source. */
const keyOf = (settings: SourceSettings): string =>
  JSON.stringify(settings, (_, value: unknown) => (value instanceof RegExp ? value.source : value));

/** The sources of a configuration, of which a reload keeps those that have not changed. */
export function createSourceSet(
  settings: readonly SourceSettings[],
  create: (settings: SourceSettings) => ManagerSource,
): SourceSet {
  let byKey = new Map(settings.map((one) => [keyOf(one), create(one)]));
  return {
    sources: () => [...byKey.values()],
    health: () => [...byKey.values()].map((source) => source.health()),
    replace: async (next) => {
      const before = byKey;
      byKey = new Map(next.map((one) => [keyOf(one), before.get(keyOf(one)) ?? create(one)]));
      const kept = new Set(byKey.values());
      await Promise.all([...before.values()].filter((source) => !kept.has(source)).map((source) => source.close()));
    },
    close: async () => {
      await Promise.all([...byKey.values()].map((source) => source.close()));
    },
  };
}

import { dirname } from 'node:path';
import { CheckedSettings } from './checked-settings.ts';
import { type Section, type SectionName, type SettingKey, sectionOf, type sections, settingTable } from './settings.ts';
import { readSources, type Sources } from './sources.ts';

export interface LoadOptions extends Sources {
  /**
   * Whether an analyzer must be configured; the demo brings its own. `unless-embedded`: where the configuration is not
   * one of the embedded analyzer alone.
   */
  readonly requireAnalyzer: boolean | 'unless-embedded';
  /** Defaults of the command, which stand before those of the settings. */
  readonly defaults?: ReadonlyMap<SettingKey, unknown>;
  /** Says what is wrong with a cron expression. */
  readonly cronProblem: (expression: string) => string | undefined;
}

/** The configuration while it is made. */
export class ConfigSettings extends CheckedSettings<typeof sections> {
  readonly options: LoadOptions;

  constructor(options: LoadOptions) {
    const folder = options.configFile === undefined ? '' : dirname(options.configFile);
    super(settingTable, readSources(options), { folder, defaults: options.defaults });
    this.options = options;
  }

  /** The values of a section, under the names of the code; complete where there are no problems. */
  section<N extends SectionName>(name: N): Section<N> {
    return sectionOf(name, (key) => this.value(key));
  }
}

import type { SourceSettings } from '../source-settings.ts';
import { createSourceTime, type SourceTime } from '../times.ts';

/** What the configuration of a source says of its output. The first server names the vendor licenses. */
export interface FlexnetSettings
  extends Pick<SourceSettings, 'servers' | 'part' | 'daemons' | 'borrow' | 'users' | 'features'> {
  /** Calendar of the zone in which the output has its times. */
  readonly localTime: SourceTime;
}

/** What reading FlexNet needs of the settings of a source. */
export const flexnetSettings = (settings: Omit<SourceSettings, 'via'>): FlexnetSettings => ({
  ...settings,
  localTime: createSourceTime(settings.timeZone, settings.calendarZone),
});

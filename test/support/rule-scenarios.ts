import { expect, it } from 'vitest';
import type { SeriesOf } from './exporter-series.ts';
import type { Annotations } from './promtool.ts';
import { createTimelines, type Timeline } from './rule-timeline.ts';

/** Tests of the rules for Prometheus: what is scraped over time, and when which alerts fire. */

/** When each alert fires, by its name in an `Outcome`. All others never fire. */
type Firing = Readonly<Record<string, string>>;

/** Adds a test. @param texts annotations of alerts at the minutes of `texts` in the timeline */
type Scenario = (
  name: string,
  timeline: Timeline,
  firing: Firing,
  texts?: Readonly<Record<string, Annotations>>,
) => void;

/** The timelines of a test file run together. */
export function createScenarios(add = createTimelines()): Scenario {
  return (name, timeline, firing, texts) => {
    const outcome = add(timeline);
    it(name, async () => {
      const found = await outcome();
      expect(found.firing).toEqual(firing);
      if (texts !== undefined) expect(found.texts).toMatchObject(texts);
    });
  };
}

/** A timeline of one exporter. */
export const one = (minutes: number, series: SeriesOf, more: Omit<Partial<Timeline>, 'exporters'> = {}): Timeline => ({
  minutes,
  exporters: [{ series }],
  ...more,
});

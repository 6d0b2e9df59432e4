import type { Frame } from './panel-data.ts';

/** An event that Grafana shows as an annotation. Times are epoch milliseconds. */
export interface Event {
  readonly time: number;
  readonly timeEnd?: number;
  readonly title: string;
  readonly text: string;
  /** Separated by commas. */
  readonly tags: string;
}

/** Events as an annotation frame of Grafana, sorted by time. */
export function annotations(events: readonly Event[]): Frame {
  const sorted = events.toSorted((a, b) => a.time - b.time || (a.text < b.text ? -1 : 1));
  return {
    name: 'annotations',
    fields: [
      { name: 'time', type: 'time', values: sorted.map(({ time }) => time) },
      { name: 'timeEnd', type: 'time', values: sorted.map(({ timeEnd }) => timeEnd ?? null) },
      { name: 'title', type: 'string', values: sorted.map(({ title }) => title) },
      { name: 'text', type: 'string', values: sorted.map(({ text }) => text) },
      { name: 'tags', type: 'string', values: sorted.map(({ tags }) => tags) },
    ],
  };
}

import type { ManagerCode, ReadInput } from '../manager.ts';
import { createTextReader } from '../text-reader.ts';
import { createSourceTime } from '../times.ts';
import type { ObservationMemory } from './entry-reading.ts';
import { type ParsedObservations, parseObservations } from './observations.ts';
import { normalized, shapes, timeIn, vocabulary } from './words.ts';

/** Of the previous document of the source. */
interface Before {
  readonly memory: ObservationMemory | undefined;
}

function read({ settings, via, now, output, more }: ReadInput<object, Before>): ParsedObservations {
  const { interval, part, timeZone, calendarZone } = settings;
  return parseObservations(output.stdout, {
    now,
    writtenAt: via === 'file' ? output.at : undefined,
    interval,
    localTime: createSourceTime(timeZone, calendarZone),
    part,
    memory: more.memory,
  });
}

/** What reads observation documents. */
export const jsonCode: ManagerCode<object, Before, ParsedObservations> = {
  texts: {
    document: {
      title: 'the observation document',
      places: () => [{ args: [] }],
      recognize: (text) =>
        /^\s*[{[]/.test(text) ? { servers: [], at: timeIn(text), isSure: /"vendor_licenses"/.test(text) } : undefined,
      shapes,
      normalized,
    },
  },
  read,
  createReader: (settings, deps) => {
    let memory: ObservationMemory | undefined;
    return createTextReader(settings, deps, {
      args: 'none',
      more: () => ({ memory }),
      keep: (parsed) => {
        memory = parsed.memory;
      },
    });
  },
  replay: ({ settings, via, now, texts }) => ({
    readings: texts('document').map(
      ({ output }) =>
        () =>
          read({ settings, via, now, output, more: { memory: undefined } }),
    ),
    remarks: [],
  }),
  vocabulary,
};

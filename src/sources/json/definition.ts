import {
  type Answers,
  defineManager,
  type ManagerDefinition,
  noOwnSettings,
  type Question,
  questions,
  type ReadInput,
} from '../manager.ts';
import { createTextReader } from '../text-reader.ts';
import { createSourceTime } from '../times.ts';
import { type ObservationMemory, type ParsedObservations, parseObservations } from './observations.ts';
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

const written = Object.fromEntries(Object.keys(questions).map((question) => [question, 'if it is written']));

/** Observation documents, see docs/json-source.md. */
export const json: ManagerDefinition = defineManager({
  how: 'a [documented format](json-source.md) that a script or another service writes',
  alsoCalled: 'none',
  answers: written as Record<Question, string> satisfies Answers,
  settings: noOwnSettings,
  needsVia: () => true,
  serversProblem: () => undefined,
  namesDaemons: () => true,
  texts: {
    document: {
      title: 'the observation document',
      places: () => [{ args: [] }],
      recognize: (text) => (/^\s*[{[]/.test(text) ? { servers: [], at: timeIn(text), isSure: true } : undefined),
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
});

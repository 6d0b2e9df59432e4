import type { SourceSettings } from '../../model/observation/source-settings.ts';
import { runSliced } from '../../scheduling/slices.ts';
import type { ManagerReader } from '../manager-source.ts';
import { createSourceTime } from '../times.ts';
import type { Transport } from '../transport/transport.ts';
import { type ObservationMemory, parseObservations } from './observations.ts';

/** Reads documents of observations, see docs/json-source.md. */
export function createJsonReader(settings: SourceSettings, transport: Transport, now: () => number): ManagerReader {
  const { interval, part, via } = settings;
  const localTime = createSourceTime(settings.timeZone, settings.calendarZone);
  let memory: ObservationMemory | undefined;
  return {
    read: async (signal) => {
      const { stdout, at } = await transport.read([], signal);
      const writtenAt = via?.kind === 'file' ? at : undefined;
      const context = { now: now(), writtenAt, interval, localTime, part, memory };
      const parsed = await runSliced(parseObservations(stdout, context));
      memory = parsed.memory;
      return parsed;
    },
    close: () => transport.close(),
  };
}

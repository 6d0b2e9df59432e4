import type { RecordingHealth } from '../../src/base/model/observation/recording.ts';

/** History that is recorded without a problem. */
export const recorded = (at: number, changes: Partial<RecordingHealth> = {}): RecordingHealth => ({
  since: at,
  interval: 60,
  lastRecordedAt: at,
  errors: 0,
  problem: undefined,
  size: 4096,
  maxSize: 2 ** 30,
  free: 2 ** 40,
  imports: [],
  archive: undefined,
  ...changes,
});

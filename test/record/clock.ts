import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads';

/**
 * Is loaded before the program, in its process and its threads: time stands still until the recorder sends the milliseconds by
 * which it goes on. Timers run, so that nothing hangs. The time since boot goes on with the clock: otherwise the program sees
 * that the clock was set.
 */

const KEY = 'clock of the recorder';
const RealDate = Date;
const start = RealDate.parse('2026-03-12T10:20:00Z');

// shared by all threads, also those that start later
const shared = (getEnvironmentData(KEY) as unknown as SharedArrayBuffer | undefined) ?? new SharedArrayBuffer(8);
const passed = new BigInt64Array(shared);
const now = (): number => start + Number(Atomics.load(passed, 0));

if (isMainThread) {
  setEnvironmentData(KEY, shared as never);
  process.on('message', (milliseconds: number) => void Atomics.add(passed, 0, BigInt(milliseconds)));
  process.channel?.unref();
}

globalThis.Date = new Proxy(RealDate, {
  construct: (target, values, self) => Reflect.construct(target, values.length === 0 ? [now()] : values, self),
  apply: () => new RealDate(now()).toString(),
  get: (target, name, self) => (name === 'now' ? now : Reflect.get(target, name, self)),
});
os.uptime = () => 1_000_000 + Number(Atomics.load(passed, 0)) / 1000;
os.hostname = () => 'recorder';
syncBuiltinESMExports();

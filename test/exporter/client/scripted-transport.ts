import { setImmediate } from 'node:timers/promises';
import { request } from 'undici';
import type { CredentialGateOptions } from '../../../src/exporter/client/credential-gate.ts';
import { NtlmDispatcher, type NtlmDispatcherOptions } from '../../../src/exporter/client/dispatcher.ts';
import { patience } from '../../support/extent.ts';
import { type createCleanup, createTestGate } from '../../support/harness.ts';
import { type Call, LOGON_PATH, startScripted } from '../../support/scripted-server.ts';

type Cleanup = ReturnType<typeof createCleanup>;

export interface ScriptedOptions extends Partial<Omit<NtlmDispatcherOptions, 'gate'>> {
  readonly gate?: Partial<CredentialGateOptions>;
}

/** A clock that only `advance` moves. Waits end when it reaches their time. */
function createClock() {
  let now = 1_000_000;
  let waits: { readonly until: number; readonly resolve: () => void }[] = [];
  const wait = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const entry = { until: now + ms, resolve };
      waits.push(entry);
      signal.addEventListener('abort', () => {
        waits = waits.filter((other) => other !== entry);
        reject(new Error('aborted'));
      });
    });
  return {
    now: () => now,
    wait,
    /** Advances the clock second by second, and runs the waits that are due. */
    advance: async (seconds: number): Promise<void> => {
      for (let i = 0; i < seconds; i += 1) {
        now += 1000;
        const due = waits.filter(({ until }) => until <= now);
        waits = waits.filter(({ until }) => until > now);
        for (const { resolve } of due) resolve();
        // an exchange over loopback takes a few turns of the event loop
        for (let turn = 0; turn < 30; turn += 1) await setImmediate();
      }
    },
  };
}

/** A dispatcher with its own clock, connected to a scripted server. */
export async function setUpScripted(
  cleanup: Cleanup,
  script: (call: Call) => void,
  { gate = {}, ...options }: ScriptedOptions = {},
  /** Returns the URL of what stands before the server. */
  behind: (url: string) => Promise<string> = async (url) => url,
) {
  const clock = createClock();
  const server = await startScripted(script);
  const url = await behind(server.url);
  const logonGate = createTestGate({ now: clock.now, ...gate });
  let recoveries = 0;
  const dispatcher = new NtlmDispatcher({
    origin: url,
    logonPath: LOGON_PATH,
    gate: logonGate,
    now: clock.now,
    wait: clock.wait,
    onRecovered: () => {
      recoveries += 1;
    },
    ...options,
  });
  cleanup.add(() => server.stop());
  cleanup.add(() => dispatcher.destroy());
  const send = async (patienceMs = patience, path = '/x'): Promise<number | string> => {
    try {
      const response = await request(`${new URL(url).origin}${path}`, {
        dispatcher,
        signal: AbortSignal.timeout(patienceMs),
      });
      await response.body.text();
      return response.statusCode;
    } catch (error) {
      const { code, name } = error as { code?: string | number; name: string };
      return name === 'TimeoutError' ? name : String(code ?? name);
    }
  };
  const logons = (): number => server.log.filter((line) => line.endsWith('NTLM3')).length;
  return { clock, server, gate: logonGate, dispatcher, send, logons, recoveries: () => recoveries };
}

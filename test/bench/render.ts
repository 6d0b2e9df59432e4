import { createCleanup } from '../support/harness.ts';
import { startChild } from './child.ts';
import type { RendererMethods } from './children/renderer.ts';
import type { Line } from './report.ts';

/**
 * Rendering all gauges of features, compared with prom-client and with copying the bytes; processor time.
 *
 * @param atLeast number of series
 */
export async function benchRender(atLeast: number, runs: number): Promise<Line[]> {
  const cleanup = createCleanup();
  try {
    const child = startChild<RendererMethods>(cleanup, 'renderer.ts', ['--max-old-space-size=8192']);
    // prom-client takes long for many series
    const { ours, promClient, copy, series } = await child.call('render', atLeast, runs, atLeast > 500_000 ? 0 : 2);
    const what = `${series.toLocaleString('en-US')} series`;
    const line = (name: string, peer: number): Line => ({ what: name, ours, peer, unit: 'ms', ratio: peer / ours });
    return [
      line(`G1 full render (peer: prom-client), ${what}`, promClient),
      line(`G1 full render (peer: copying the bytes), ${what}`, copy),
    ];
  } finally {
    await cleanup.run();
  }
}

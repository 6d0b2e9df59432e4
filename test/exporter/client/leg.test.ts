import type { Dispatcher } from 'undici';
import { expect, it } from 'vitest';
import { Exchange, type LegOutcome } from '../../../src/exporter/client/leg.ts';
import { RequestController } from '../../../src/exporter/client/pending-request.ts';

/** An exchange that has ended is released: otherwise each request would keep it in memory. */

it.each(['response', 'lost'] as const)(
  'an exchange that ended as %s is no longer aborted by its request',
  async (kind) => {
    const aborted: unknown[] = [];
    const own = { abort: (reason: unknown) => aborted.push(reason) } as unknown as Dispatcher.DispatchController;
    const controller = new RequestController();
    const outcome = await new Promise<LegOutcome>((resolve) => {
      const leg = { path: '/', method: 'GET', headers: {}, body: null };
      const listener = { onResponse: () => 'deliver' as const, caller: { sink: {}, controller } };
      const exchange = new Exchange({ wasOpen: true, served: 0 }, leg, listener, resolve);
      exchange.onRequestStart(own);
      exchange.onResponseStart(own, 200, {});
      if (kind === 'response') exchange.onResponseEnd(own, {});
      else exchange.onResponseError(own, new Error('reset'));
    });
    expect(outcome.kind).toBe(kind);
    controller.abort(new Error('late'));
    expect(aborted).toEqual([]);
  },
);

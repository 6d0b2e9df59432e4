import fc from 'fast-check';
import { expect, it } from 'vitest';
import { watchOf } from '../../../src/exporter/client/reception.ts';

it('a signal aborts the requests that were not deleted, with its reason, and each of them once', () => {
  const steps = fc.array(fc.record({ request: fc.nat(9), isAdded: fc.boolean() }));
  fc.assert(
    fc.property(steps, (all) => {
      const controller = new AbortController();
      const aborted: unknown[] = [];
      const requests = Array.from({ length: 10 }, (_, i) => ({
        abort: (reason: unknown) => void aborted.push([i, reason]),
      }));
      const expected = new Set<number>();
      for (const { request, isAdded } of all) {
        const one = requests[request] as (typeof requests)[number];
        if (!isAdded) watchOf(controller.signal).delete(one);
        else if (!expected.has(request)) watchOf(controller.signal).add(one);
        if (isAdded) expected.add(request);
        else expected.delete(request);
      }
      controller.abort('over');
      controller.abort('again');
      expect(aborted.toSorted()).toEqual([...expected].toSorted().map((i) => [i, 'over']));
    }),
  );
});

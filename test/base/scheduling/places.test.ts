import { describe, expect, it } from 'vitest';
import { createPlaces } from '../../../src/base/scheduling/places.ts';

const never = new AbortController().signal;

/** Whether a promise is settled after all that is due has run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const settle = (): void => {
    settled = true;
  };
  promise.then(settle, settle);
  await new Promise((resolve) => setImmediate(resolve));
  return settled;
}

describe('places', () => {
  it('are given in order of arrival, each until it is released', async () => {
    const places = createPlaces(2);
    const [first, second] = [await places.take(never), await places.take(never)];
    const [third, fourth] = [places.take(never), places.take(never)];
    expect(await isSettled(third)).toBe(false);
    second();
    expect(await isSettled(third)).toBe(true);
    expect(await isSettled(fourth)).toBe(false);
    // releasing twice frees no second place
    second();
    expect(await isSettled(fourth)).toBe(false);
    first();
    expect(await isSettled(fourth)).toBe(true);
  });

  it('are not taken by one that stopped waiting', async () => {
    const places = createPlaces(1);
    const release = await places.take(never);
    const controller = new AbortController();
    const dropped = places.take(controller.signal);
    const next = places.take(never);
    controller.abort(new Error('due again'));
    await expect(dropped).rejects.toThrow('due again');
    expect(await isSettled(next)).toBe(false);
    release();
    (await next)();
    await expect(places.take(AbortSignal.abort(new Error('stopping')))).rejects.toThrow('stopping');
    expect(await isSettled(places.take(never))).toBe(true);
  });

  it('stay with the one that got it, if its signal is aborted in the same moment', async () => {
    const places = createPlaces(1);
    const release = await places.take(never);
    const controller = new AbortController();
    const taken = places.take(controller.signal);
    release();
    controller.abort();
    const next = places.take(never);
    expect(await isSettled(next)).toBe(false);
    (await taken)();
    expect(await isSettled(next)).toBe(true);
  });
});

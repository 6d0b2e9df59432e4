import { afterEach, describe, expect, it } from 'vitest';
import { type Fault, startFaulty, status } from '../../support/faulty-analyzer.ts';
import { createCleanup, createConfig, eventually, type LogEntry, startApp } from '../../support/harness.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const EVERY_SECOND = '* * * * * *';

/** Every query fails. A logon does not, because its failure has another code. */
const failQueries: Fault = (request, response, body) =>
  request.url?.includes('GetHttpUserName') === true ? response.end(body) : status(500)(request, response, body);

const isAboutPolls = ({ fields }: LogEntry): boolean => fields.endpoints !== undefined;

/** A daemon that polls every second, after its first poll. @param expirations when GetExpirationFeatures is polled */
async function start(expirations: string) {
  const faulty = await startFaulty(cleanup);
  const settings = {
    'poll.products': EVERY_SECOND,
    'poll.server_down': EVERY_SECOND,
    'poll.concurrent_users': 'off',
    'poll.features': EVERY_SECOND,
    'poll.expirations': expirations,
  };
  const app = await startApp(createConfig(faulty.url, settings));
  cleanup.add(() => app.stop());
  await eventually('first poll', async () => (await fetch(`${app.url}/-/ready`)).ok);
  expect(app.log.entries.filter(isAboutPolls)).toEqual([]);
  /** What is written until some polls after the first line. */
  const lines = async () => {
    await eventually('a line', () => app.log.entries.some(isAboutPolls));
    const before = faulty.seen.length;
    const polls = () => faulty.seen.slice(before).filter((url) => url.includes('GetServerDown')).length;
    await eventually('more polls', () => polls() >= 4);
    const written = app.log.entries.splice(0).filter(isAboutPolls);
    return written.map(({ message, fields }) => {
      const { endpoints, ...others } = fields as { readonly endpoints: readonly string[] };
      return { message, endpoints: endpoints.toSorted(), ...others };
    });
  };
  return { faulty, lines };
}

const refusal = { kind: 'status', code: '500', reason: 'the analyzer answered 500' };
const recovered = { message: 'poll recovered', seconds: expect.any(Number), attempts: expect.any(Number) };

describe('the log of a daemon whose analyzer fails for several polls', () => {
  it('has a line when all endpoints fail, and one when they are well', async () => {
    const { faulty, lines } = await start('off');
    const endpoints = ['GetFeatures', 'GetProducts', 'GetServerDown'];
    faulty.break('/api/', failQueries);
    expect(await lines()).toEqual([{ message: 'poll failed', endpoints, ...refusal }]);
    faulty.break(undefined);
    expect(await lines()).toEqual([{ endpoints, ...recovered }]);
  });

  it('has a line when one vendor license fails, and one when it is well', async () => {
    const { faulty, lines } = await start(EVERY_SECOND);
    const endpoints = ['GetExpirationFeatures'];
    faulty.break('GetExpirationFeatures?product=sim-lic02', status(500));
    const some = { failed: 1, vendor_licenses: ['sim-lic02;sim_meshd'] };
    const message = 'poll failed for some vendor licenses';
    expect(await lines()).toEqual([{ message, endpoints, ...refusal, ...some }]);
    faulty.break(undefined);
    expect(await lines()).toEqual([{ endpoints, ...recovered }]);
  });
});

import { describe, expect, it } from 'vitest';
import { dashboards, panelsOf } from '../support/dashboards.ts';
import { peer } from '../support/peers.ts';
import { promqlSamples } from '../support/promql-samples.ts';

/** The first table of Overview: what it says of each link, when links fail together and alone. */

const overview = dashboards.find(({ uid }) => uid === 'license-overview');
const panel = overview && panelsOf(overview).find(({ title }) => title === 'Exporter, sources, analyzer, servers');

const states = ['up', 'unknown', 'partly up', 'down', 'some down', 'none'];

/** What an exporter reports, each as the values of 40 minutes. */
interface Exporter {
  readonly instance: string;
  /** Whether Prometheus could scrape it; without it, it no longer tries. */
  readonly up?: string;
  readonly answers?: string;
  readonly sources?: Readonly<Record<string, string | undefined>>;
  readonly polls?: Readonly<Record<string, string>>;
  /** By vendor license; `undefined` if its state is not known. */
  readonly servers?: Readonly<Record<string, string | undefined>>;
}

const ALWAYS = '1x40';
/** For ten minutes, then no more. */
const STOPPED = '1x10 stale';

function seriesOf({ instance, up, answers = ALWAYS, sources = {}, polls, servers }: Exporter): Record<string, string> {
  const series: Record<string, string> = {};
  const add = (name: string, labels: string, values: string | undefined): void => {
    if (values !== undefined) series[`${name}{job="j",instance="${instance}"${labels}}`] = values;
  };
  /** What is said only as long as the exporter answers. */
  const told = (values: string): string => (answers === ALWAYS ? values : answers.replace('1x', `${values[0]}x`));
  add('up', '', up);
  add('license_exporter_build_info', '', answers);
  for (const [name, value] of Object.entries(sources)) {
    const labels = `,source="${name}",manager="flexnet"`;
    add('license_source_contradictions_total', labels, told('0x40'));
    add('license_source_up', labels, value === undefined ? undefined : told(value));
  }
  for (const [name, value] of Object.entries(polls ?? { GetProducts: ALWAYS })) {
    add('license_poll_success', `,endpoint="${name}"`, told(value));
  }
  for (const [name, value] of Object.entries(servers ?? { 'a;d': ALWAYS })) {
    add('license_vendor_license_info', `,vendor_license="${name}"`, told(ALWAYS));
    add('license_server_up', `,vendor_license="${name}"`, value === undefined ? undefined : told(value));
  }
  return series;
}

/** State, and how many of how many, of each link. */
async function chainOf(...exporters: readonly Exporter[]): Promise<Readonly<Record<string, string>>> {
  const series = Object.assign({}, ...exporters.map(seriesOf)) as Record<string, string>;
  const columns = await Promise.all(
    ['A', 'C', 'D'].map(async (refId) => {
      const text = panel?.targets?.find((target) => target.refId === refId)?.expr ?? '';
      const expression = text.replaceAll('"$job"', '".+"').replaceAll('"$instance"', '".+"');
      const samples = await promqlSamples({ series, expression, at: '40m' });
      return new Map(samples.map(({ labels, value }) => [labels.link?.slice(2), value]));
    }),
  );
  const [state, up, of] = columns;
  const names = [...(state?.keys() ?? [])].filter((name) => name !== undefined);
  return Object.fromEntries(
    names.map((name) => [name, `${states[state?.get(name) ?? -1]} ${up?.get(name) ?? '?'}/${of?.get(name) ?? '?'}`]),
  );
}

const one: Exporter = { instance: 'one', up: ALWAYS };
const dead = { up: '1x10 0x30', answers: STOPPED };

describe.runIf(peer('promtool'))('the chain', () => {
  it('is up while everything answers; an exporter that polls another analyzer has no sources', async () => {
    expect(await chainOf(one)).toEqual({
      Exporter: 'up 1/1',
      Sources: 'none ?/?',
      Analyzer: 'up 1/1',
      Servers: 'up 1/1',
    });
  });

  it('says that a dead exporter is down, and nothing of what is behind it', async () => {
    const behind = { Sources: 'unknown ?/1', Analyzer: 'unknown ?/?', Servers: 'unknown ?/1' };
    const sources = { s: ALWAYS };
    expect(await chainOf({ ...one, ...dead, sources })).toEqual({ Exporter: 'down 0/1', ...behind });
    // without `up`, as where metrics are sent
    expect(await chainOf({ instance: 'one', answers: STOPPED, sources })).toEqual({ Exporter: 'down 0/1', ...behind });
  });

  it('does not say that all is up while one exporter of several is dead', async () => {
    const two: Exporter = { instance: 'two', ...dead, sources: { t: ALWAYS }, servers: { 'b;d': ALWAYS } };
    expect(await chainOf({ ...one, sources: { s: ALWAYS } }, two)).toEqual({
      Exporter: 'partly up 1/2',
      Sources: 'unknown 1/2',
      Analyzer: 'unknown 1/1',
      Servers: 'unknown 1/2',
    });
  });

  it('forgets an exporter that Prometheus no longer scrapes', async () => {
    expect((await chainOf(one, { instance: 'before', answers: STOPPED })).Exporter).toBe('up 1/1');
  });

  it('shows the worse of what two exporters say of one analyzer or source', async () => {
    const failing = { polls: { GetProducts: '0x40' }, sources: { s: '0x40' } };
    const chain = await chainOf({ ...one, sources: { s: ALWAYS } }, { ...one, instance: 'two', ...failing });
    expect(chain).toMatchObject({ Sources: 'down 0/1', Analyzer: 'down 0/1' });
  });

  it('does not know a source that was not read yet', async () => {
    const of = async (sources: NonNullable<Exporter['sources']>) => (await chainOf({ ...one, sources })).Sources;
    expect(await of({ s: undefined })).toBe('unknown ?/1');
    expect(await of({ s: ALWAYS, t: undefined })).toBe('unknown 1/2');
    expect(await of({ s: ALWAYS, t: '0x40' })).toBe('partly up 1/2');
    expect(await of({ s: '0x40', t: '0x40' })).toBe('down 0/2');
  });

  it('calls servers down only if they are, and all of them only if all are', async () => {
    const of = async (servers: NonNullable<Exporter['servers']>) => (await chainOf({ ...one, servers })).Servers;
    expect(await of({ 'a;d': '0x40', 'b;d': undefined, 'c;d': undefined })).toBe('some down 0/3');
    expect(await of({ 'a;d': '0x40', 'b;d': ALWAYS })).toBe('some down 1/2');
    expect(await of({ 'a;d': '0x40', 'b;d': '0x40' })).toBe('down 0/2');
    expect(await of({ 'a;d': ALWAYS, 'b;d': undefined })).toBe('unknown 1/2');
  });
});

import { describe, expect, it } from 'vitest';
import { countUsers, licensesInUse } from '../../../src/analyzer/history/usage.ts';
import { createSourceSet } from '../../../src/analyzer/sources/configured-sources.ts';
import { createManagerSource, type ManagerSource } from '../../../src/analyzer/sources/manager-source.ts';
import type { Parsed } from '../../../src/analyzer/sources/parsed.ts';
import type { SourceSettings } from '../../../src/analyzer/sources/source-settings.ts';
import type { Collected, VendorLicenseObservation } from '../../../src/base/model/observation/observation.ts';
import {
  SourceFailure,
  type SourceProblem,
  sourceFailureKinds,
} from '../../../src/base/model/observation/source-failure.ts';
import { observationOf, sourceSettings } from '../../support/source-settings.ts';

const NOW = 1_800_000_000;
const signal = new AbortController().signal;

const parsedOf = (...vendorLicenses: VendorLicenseObservation[]): Parsed => ({
  vendorLicenses,
  problems: [],
  members: [{ server: '27000@lic1', up: true, isMaster: true }],
  referenceTime: NOW,
  diagnostics: { unparsed: 2, masks: ['a 9'], contradictions: 1 },
});

interface Scripted {
  readonly source: ManagerSource;
  readonly logged: [level: string, fields: object, message: string][];
  answer: () => Promise<Parsed>;
  now: number;
}

function scripted(settings: Partial<SourceSettings> = {}): Scripted {
  const logged: Scripted['logged'] = [];
  const logAs = (level: string) => (fields: object, message: string) => void logged.push([level, fields, message]);
  const log = { debug: logAs('debug'), info: logAs('info'), warn: logAs('warn'), error: logAs('error') };
  const script: Scripted = {
    source: createManagerSource(sourceSettings(settings), {
      reader: { read: () => script.answer(), close: () => Promise.resolve() },
      now: () => script.now,
      pseudonymKey: 'key',
      log,
    }),
    logged,
    answer: () => Promise.resolve(parsedOf(observationOf('daemon'))),
    now: NOW,
  };
  return script;
}

const failing = (kind: SourceProblem['kind'], message: string) => () =>
  Promise.reject(new SourceFailure(kind, message));

describe('a license manager as a source', () => {
  it('is neither up nor down before it was read', () => {
    const { source } = scripted({ daemons: ['daemon'] });
    expect(source.health()).toMatchObject({ up: undefined, lastSuccessAt: undefined, lastReadAt: undefined });
    expect([...source.health().runs]).toEqual([]);
  });

  it('gives what was read, and says when', async () => {
    const one = scripted();
    expect(await one.source.read(signal)).toEqual([observationOf('daemon')]);
    expect(one.source.health()).toMatchObject({
      up: true,
      problems: [],
      lastSuccessAt: NOW,
      duration: 0,
      contradictions: 1,
      lastDiagnostics: { unparsed: 2 },
      vendorLicenses: ['27000@lic1;daemon'],
      members: [{ server: '27000@lic1', up: true }],
    });
  });

  it('reports what it knows as unreachable when it cannot be read, with the reason, and keeps the last success', async () => {
    const one = scripted();
    await one.source.read(signal);
    one.now += 300;
    one.answer = failing('timeout', 'the tool did not answer');
    expect(await one.source.read(signal)).toEqual([{ ...observationOf('daemon'), reachable: false, pools: [] }]);
    const health = one.source.health();
    expect(health).toMatchObject({ up: false, lastSuccessAt: NOW, lastReadAt: NOW + 300 });
    expect(health.problems).toEqual([{ kind: 'timeout', message: 'the tool did not answer' }]);
    expect(health.members).toEqual([{ server: '27000@lic1', up: undefined, isMaster: false }]);
    expect(health.vendorLicenses).toEqual(['27000@lic1;daemon']);
    expect([...health.runs]).toEqual([
      ['ok', 1],
      ['timeout', 1],
    ]);
  });

  it('counts failed readings in succession; a detail that is wrong is no failure', async () => {
    const one = scripted();
    const counts: unknown[] = [one.source.health().failedReadings];
    const readWith = async (answer: () => Promise<Parsed>): Promise<void> => {
      one.answer = answer;
      await one.source.read(signal);
      counts.push(one.source.health().failedReadings);
    };
    const minor = { kind: 'no_quorum', message: 'start it', isMinor: true } as const;
    const serious = { kind: 'daemon_down', message: 'start it' } as const;
    const withProblem = (problem: SourceProblem) => () =>
      Promise.resolve({ ...parsedOf(observationOf('daemon')), problems: [problem] });
    await readWith(failing('unreachable', 'no server'));
    one.source.skip?.();
    await readWith(withProblem(serious));
    await readWith(withProblem(minor));
    await readWith(failing('unreachable', 'no server'));
    await readWith(() => Promise.resolve(parsedOf(observationOf('daemon'))));
    expect(counts).toEqual([undefined, 1, 2, 0, 1, 0]);
  });

  it('logs a problem once, and its end', async () => {
    const one = scripted();
    one.answer = failing('unreachable', 'no server');
    for (let i = 0; i < 3; i += 1) await one.source.read(signal);
    one.answer = () => Promise.resolve(parsedOf(observationOf('daemon')));
    for (let i = 0; i < 3; i += 1) await one.source.read(signal);
    expect(one.logged).toEqual([
      ['warn', { source: 'cad', kind: 'unreachable', reason: 'no server' }, 'source has a problem'],
      ['info', { source: 'cad' }, 'source is read again without problems'],
    ]);
  });

  it('logs a problem once also when an age or a number in it changes, and another one at once', async () => {
    const one = scripted();
    for (const message of [
      'written 130 s ago',
      'written 190 s ago',
      '61 minutes off',
      '62 minutes off',
      'port 5',
      'port 6',
    ]) {
      one.answer = failing('too_old', message);
      await one.source.read(signal);
    }
    expect(one.logged.map(([, fields]) => fields)).toEqual(
      ['written 130 s ago', '61 minutes off', 'port 5', 'port 6'].map((reason) => ({
        source: 'cad',
        kind: 'too_old',
        reason,
      })),
    );
  });

  it('shows which servers are down if the failure says it, and else that it is not known', async () => {
    const one = scripted();
    await one.source.read(signal);
    const members = [{ server: '27000@lic1', up: false, isMaster: false }];
    one.answer = () => Promise.reject(new SourceFailure('no_quorum', 'start them', { members }));
    await one.source.read(signal);
    expect(one.source.health().members).toEqual(members);
    one.answer = failing('missing_tool', 'no tool');
    await one.source.read(signal);
    expect(one.source.health().members).toEqual([{ server: '27000@lic1', up: undefined, isMaster: false }]);
  });

  it('is down when a part of it is down, and has the data of the rest', async () => {
    const one = scripted();
    const down = { ...observationOf('other'), reachable: false, pools: [] };
    const problems = [{ kind: 'daemon_down', message: 'start it' }] as const;
    one.answer = () => Promise.resolve({ ...parsedOf(observationOf('daemon'), down), problems });
    expect(await one.source.read(signal)).toEqual([observationOf('daemon'), down]);
    expect(one.source.health()).toMatchObject({ up: false, lastSuccessAt: NOW, problems });
  });

  it.each(Object.keys(sourceFailureKinds) as SourceProblem['kind'][])(
    'says that a server is down only if the failure says so: %s',
    async (kind) => {
      const one = scripted();
      const detail = { kind: 'unreachable', message: 'one of three', isMinor: true } as const;
      const states: unknown[] = [one.source.health().isServerDown];
      const answers = [
        failing(kind, 'why'),
        () => Promise.resolve({ ...parsedOf(observationOf('daemon')), problems: [detail, { kind, message: 'why' }] }),
        () => Promise.resolve({ ...parsedOf(observationOf('daemon')), problems: [detail] }),
      ];
      for (const answer of answers) {
        one.answer = answer;
        await one.source.read(signal);
        states.push(one.source.health().isServerDown);
      }
      const isDown = ['unreachable', 'daemon_down', 'no_quorum'].includes(kind) || undefined;
      expect(states).toEqual([undefined, isDown, isDown, false]);
    },
  );

  it('stays up with a problem of a detail', async () => {
    const one = scripted();
    const problems = [{ kind: 'clock', message: 'set the clock', isMinor: true }] as const;
    one.answer = () => Promise.resolve({ ...parsedOf(observationOf('daemon')), problems });
    await one.source.read(signal);
    expect(one.source.health()).toMatchObject({ up: true, problems });
    expect([...one.source.health().runs]).toEqual([['ok', 1]]);
  });

  it('knows its vendor licenses from the configuration, or from an earlier process', async () => {
    const configured = scripted({ daemons: ['one', 'two'] });
    configured.answer = failing('missing_tool', 'no tool');
    const names = (observations: readonly VendorLicenseObservation[]): unknown =>
      observations.map(({ daemon, reachable }) => [daemon, reachable]);
    expect(names(await configured.source.read(signal))).toEqual([
      ['one', false],
      ['two', false],
    ]);
    expect(configured.source.health().vendorLicenses).toEqual(['27000@lic1;one', '27000@lic1;two']);
    const known: Collected = {
      source: 'cad',
      name: '27000@lic1;three',
      collectedAt: NOW - 60,
      observation: observationOf('three'),
    };
    configured.source.restore?.([known]);
    expect(names(await configured.source.read(signal))).toEqual([['three', false]]);
  });

  it('passes on what is no failure of the source', async () => {
    const one = scripted();
    one.answer = () => Promise.reject(new TypeError('a bug'));
    await expect(one.source.read(signal)).rejects.toThrow('a bug');
  });

  it('counts collections that were left out', () => {
    const { source } = scripted();
    source.skip?.();
    source.skip?.();
    expect([...source.health().runs]).toEqual([['skipped', 2]]);
  });

  it('leaves out features that are not selected', async () => {
    const { source } = scripted({
      features: { include: [/^sol/u], exclude: [/ver$/u], dropUnsupported: true },
    });
    expect((await source.read(signal))[0]?.pools).toEqual([]);
  });

  it('has a place in its interval that only depends on its name', () => {
    const offsets = ['a', 'b', 'c', 'd', 'e'].map((name) => scripted({ name }).source.offset);
    expect(new Set(offsets).size).toBe(5);
    for (const offset of offsets) expect(offset).toBeLessThan(300);
    expect(scripted({ name: 'a' }).source.offset).toBe(offsets[0]);
  });
});

describe('users.names', () => {
  const poolOf = async (names: SourceSettings['users']['names']) => {
    const script = scripted({ users: { names, split: 'auto' } });
    const observation = observationOf('daemon');
    const reservations = [{ holder: 'Grace', licenses: 1, used: 1 }];
    const pools = observation.pools.map((one) => ({ ...one, reservations }));
    script.answer = () => Promise.resolve(parsedOf({ ...observation, pools }));
    const pool = (await script.source.read(signal))[0]?.pools[0];
    if (pool === undefined) throw new Error('no pool');
    return pool;
  };

  it('pseudonym: names of users, hosts, displays and reservations are gone, and users are counted as before', async () => {
    const pool = await poolOf('pseudonym');
    expect(JSON.stringify(pool)).not.toMatch(/ada|grace|ws\d|:0/i);
    expect(countUsers(pool.checkouts)).toBe(1);
    expect(pool.queued).toEqual([
      { user: expect.stringMatching(/^u-[0-9a-f]{10}$/), host: expect.any(String), licenses: 2 },
    ]);
    expect(pool.checkouts[0]?.user).toBe((await poolOf('pseudonym')).checkouts[0]?.user);
  });

  it('drop: the licenses in use stay, who uses them is not known', async () => {
    const pool = await poolOf('drop');
    expect(licensesInUse(pool)).toBe(2);
    expect(pool.checkouts).toEqual([]);
    expect(pool.unknownOfCheckouts).toEqual(['list', 'borrowed', 'status']);
    expect(pool.queued).toEqual([{ user: '', host: '', licenses: 2 }]);
    expect(pool.reservations).toEqual([{ holder: '', licenses: 1, used: 1 }]);
  });
});

describe('a set of sources', () => {
  const setOf = (...names: string[]) => {
    const closed: string[] = [];
    const set = createSourceSet(
      names.map((name) => sourceSettings({ name })),
      (settings) => ({
        ...scripted(settings).source,
        close: async () => void closed.push(settings.name),
      }),
    );
    return { set, closed };
  };

  it('keeps the sources whose settings are the same, and closes the others', async () => {
    const { set, closed } = setOf('a', 'b', 'c');
    const [a, b] = set.sources();
    await set.replace([
      sourceSettings({ name: 'b', interval: 600 }),
      sourceSettings({ name: 'a' }),
      sourceSettings({ name: 'd', features: { include: [/x/u], exclude: [], dropUnsupported: true } }),
    ]);
    expect(set.health().map(({ name }) => name)).toEqual(['b', 'a', 'd']);
    expect(set.sources()[1]).toBe(a);
    expect(set.sources()[0]).not.toBe(b);
    expect(closed.sort()).toEqual(['b', 'c']);
    const [, , d] = set.sources();
    await set.replace([
      sourceSettings({ name: 'd', features: { include: [/y/u], exclude: [], dropUnsupported: true } }),
    ]);
    expect(set.sources()[0]).not.toBe(d);
    await set.close();
    expect(closed.sort()).toEqual(['a', 'b', 'b', 'c', 'd', 'd']);
  });
});

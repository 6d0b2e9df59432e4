import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { random } from '../../../src/analyzer/simulated/simulated-random.ts';
import { managerCodes } from '../../../src/analyzer/sources/manager-codes.ts';
import { createCommandTransport } from '../../../src/analyzer/sources/transport/command-transport.ts';
import { isLong } from '../../support/extent.ts';
import { createCleanup } from '../../support/harness.ts';
import { findProgram, peer } from '../../support/peers.ts';
import { seed } from '../../support/seed.ts';
import { sourceSettings } from '../../support/source-settings.ts';
import { type Slurm, startSlurm } from '../../support/start-slurm.ts';
import { createHost } from './transport/tools.ts';

/** A controller of Slurm that gives licenses to jobs and to reservations. */

const bought: Readonly<Record<string, number>> = { fluent: 30, ansys: 100, 'nastran@lic1': 5 };
const names = Object.keys(bought);

/** What the controller was told. */
class Model {
  readonly jobs = new Map<string, readonly [license: string, count: number]>();
  readonly reservations = new Map<string, readonly [license: string, count: number]>();

  sum(of: 'jobs' | 'reservations', license: string): number {
    return [...this[of].values()].reduce((sum, [name, count]) => sum + (name === license ? count : 0), 0);
  }

  free(license: string): number {
    return (bought[license] ?? 0) - this.sum('jobs', license) - this.sum('reservations', license);
  }
}

describe.runIf(peer('slurmctld', 'slurmd', 'munged', 'scontrol'))('a controller of Slurm', () => {
  const cleanup = createCleanup();
  let slurm: Slurm;
  beforeAll(async () => {
    slurm = await startSlurm(cleanup, names.map((name) => `${name}:${bought[name]}`).join(','));
  });
  afterAll(() => cleanup.run());

  function createReader() {
    const host = createHost(cleanup);
    const via = {
      kind: 'command' as const,
      command: [findProgram('scontrol') ?? 'scontrol'],
      env: { SLURM_CONF: slurm.config },
    };
    const settings = sourceSettings({ manager: 'slurm', servers: ['6817@head'], via });
    const reader = managerCodes.slurm.createReader(settings, {
      transport: createCommandTransport(
        { ...via, label: 'slurm', timeout: 20, maxOutput: 2 ** 20, encoding: undefined },
        host,
      ),
      host,
      read: async (input) => managerCodes.slurm.read(input),
    });
    cleanup.add(() => reader.close());
    return () => reader.read(new AbortController().signal);
  }

  it('has after each reservation and each free the figures that are read', async () => {
    const read = createReader();
    const model = new Model();
    let serial = 0;
    let canceled: string | undefined;
    const take = (draw: (part: string) => number): void => {
      const license = names[Math.floor(draw('license') * names.length)] ?? 'fluent';
      const count = Math.min(model.free(license), 1 + Math.floor(draw('count') * 6));
      if (count <= 0 || model.jobs.size >= 60) return;
      if (draw('kind') < 0.7) {
        const said = slurm.run('sh', '-c', `salloc --no-shell -n1 -L ${license}:${count} 2>&1`);
        const job = /Granted job allocation (\d+)/.exec(said)?.[1];
        if (job === undefined) throw new Error(`salloc said ${said}`);
        model.jobs.set(job, [license, count]);
        return;
      }
      serial += 1;
      const name = `r${serial}`;
      const when = ['starttime=now', 'duration=60', 'user=root', 'flags=LICENSE_ONLY'];
      slurm.run(
        'scontrol',
        'create',
        'reservation',
        `reservationname=${name}`,
        ...when,
        `licenses=${license}:${count}`,
      );
      model.reservations.set(name, [license, count]);
    };
    const give = (draw: (part: string) => number): void => {
      const all = [...model.jobs.keys(), ...model.reservations.keys()];
      const one = all[Math.floor(draw('which') * all.length)];
      if (one === undefined) return;
      if (model.jobs.delete(one)) {
        slurm.run('scancel', one);
        canceled = one;
      } else if (model.reservations.delete(one)) slurm.run('scontrol', 'delete', 'reservation', one);
    };
    const figures = async () => {
      const { vendorLicenses, diagnostics, problems } = await read();
      expect({ unparsed: diagnostics.unparsed, problems }).toEqual({ unparsed: 0, problems: [] });
      return Object.fromEntries(
        vendorLicenses.flatMap(({ pools }) =>
          pools.map(({ feature, inUse, available, reserved = 0, increments }) => [
            feature,
            { inUse, available, reserved, count: increments[0]?.count },
          ]),
        ),
      );
    };
    for (let step = 0; step < (isLong ? 5000 : 300); step += 1) {
      canceled = undefined;
      const draw = (part: string): number => random(seed, 'slurm', step, part);
      if (draw('take') < 0.52) take(draw);
      else give(draw);
      const expected = names.map((name) => {
        const [inUse, reserved] = [model.sum('jobs', name), model.sum('reservations', name)];
        const count = bought[name] ?? 0;
        // of reserved licenses it is not known how many are in use
        return [name, { inUse, reserved, count, available: reserved === 0 ? count - inUse : undefined }];
      });
      let found = await figures();
      // a canceled job has its licenses until its node has ended it
      if (canceled !== undefined && !isDeepStrictEqual(found, Object.fromEntries(expected))) {
        slurm.run('sh', '-c', `while squeue -h -t R,CG -o %i | grep -qx ${canceled}; do sleep 0.05; done`);
        found = await figures();
      }
      expect(found, `step ${step}`).toEqual(Object.fromEntries(expected));
    }
    // several thousand processes, which share two cores with other tests
  });

  it('that has ended is unreachable', async () => {
    const read = createReader();
    await read();
    await slurm.stopController();
    await expect(read()).rejects.toMatchObject({
      kind: 'unreachable',
      message:
        'Cannot connect to Slurm at 6817@head: check that it runs there, that port and host are right, and that a firewall allows the port.',
    });
  });
});

import { setTimeout as pause } from 'node:timers/promises';
import type { SmallDisk } from '../support/small-disk.ts';
import type { Daemon } from './daemon.ts';
import type { FaultProxy } from './fault-proxy.ts';
import type { Referee } from './referee.ts';
import type { ActName, Scenario } from './scenarios.ts';
import type { Watch } from './watch.ts';

export interface Stage {
  readonly scenario: Scenario;
  readonly proxy: FaultProxy;
  readonly daemon: Daemon;
  readonly watch: Watch;
  readonly disk: SmallDisk | undefined;
  readonly referee: Referee;
  readonly user: string;
  /** Of the account. */
  readonly password: string;
}

/** The acts of a scenario. The passwords that it sets outlive one run of its plan. */
export function createActor({
  scenario,
  proxy,
  daemon,
  watch,
  disk,
  referee,
  user,
  ...stage
}: Stage): () => Promise<void> {
  let { password } = stage;
  let changes = 0;
  const give = (next: string): void => {
    proxy.ledger.give(next);
    daemon.setPassword(next);
  };
  const doers: Readonly<Record<ActName, () => unknown>> = {
    rotate: () => {
      changes += 1;
      password = `An0ther-pass-${changes}`;
      referee.setPassword(user, password);
    },
    restore: () => {
      password = stage.password;
      referee.setPassword(user, password);
    },
    correct: () => give(password),
    mistype: () => {
      changes += 1;
      give(`not it ${changes}`);
    },
    reset: () => proxy.resetAll(),
    'reset one': () => proxy.resetOne(),
    damage: () => whileStopped(daemon, watch, () => daemon.damageState()),
    fill: () => disk?.fill(),
    free: () => disk?.empty(),
    // a process that is stopped answers nothing
    pause: () => {
      watch.pause(true);
      daemon.setPaused(true);
    },
    resume: () => {
      watch.pause(false);
      daemon.setPaused(false);
    },
  };
  return async () => {
    await Promise.all(
      (scenario.acts ?? []).map(async ({ atMs, act }) => {
        await pause(atMs);
        if (typeof act === 'number') daemon.setClock(act);
        else await doers[act]();
      }),
    );
  };
}

/** Kills the daemon and starts it again. */
export async function whileStopped(daemon: Daemon, watch: Watch, work: () => void = () => undefined): Promise<void> {
  watch.pause(true);
  await daemon.kill();
  work();
  await daemon.start();
  watch.pause(false);
}

import { existsSync, readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { describe, expect, it } from 'vitest';
import { elapsed, movedSince, type Stamp, stampOf } from '../../../src/base/storage/stamp.ts';

const AT = 1_800_000_000;
const BOOT = '/proc/sys/kernel/random/boot_id';
const written: Stamp = { wall: AT, uptime: 5000, boot: 'b1' };
const now = (wall: number, up: number, boot = 'b1'): Stamp => ({
  wall: AT + wall,
  uptime: 5000 + up,
  boot,
});

it.each([
  ['in one boot, nothing was set', written, now(600, 600), 0],
  ['in one boot, a small correction', written, now(610, 600), 0],
  ['in one boot, set forward by 3 h', written, now(11_400, 600), 10_800],
  ['in one boot, set back by 2 h', written, now(-6600, 600), -7200],
  ['after a boot, by the clock', written, now(86_400, -4000, 'b2'), 0],
  ['after a boot, from the future', written, now(-7200, -4000, 'b2'), -7200],
  ['on a system without a boot id', { ...written, boot: undefined }, { ...now(11_400, 600), boot: undefined }, 0],
  [
    'on a system without a boot id, from the future',
    { ...written, boot: undefined },
    { ...now(-60, 600), boot: undefined },
    -60,
  ],
  ['a file of an earlier version', undefined, now(-7200, 600), 0],
  ['a stamp that is not one', { wall: 'soon' }, now(-7200, 600), 0],
])('moves the times of a state so that it is as old as it is: %s', (_, found, moment, by) => {
  expect(movedSince(found === undefined ? undefined : JSON.parse(JSON.stringify(found)), moment)).toBe(by);
});

it('is of this boot', () => {
  const stamp = stampOf(AT);
  expect(stamp.wall).toBe(AT);
  expect(uptime() - stamp.uptime >= 0).toBe(true);
  const named = existsSync(BOOT) ? readFileSync(BOOT, 'utf8').trim() : undefined;
  expect(stamp.boot).toBe(named);
});

const HOUR = 3600;
const at = (wall: number, up: number, boot = 'a'): Stamp => ({ wall, uptime: up, boot });

describe('the time between two stamps', () => {
  it.each([
    ['both clocks agree', at(0, 0), at(HOUR, HOUR), HOUR],
    ['the clock was set forward', at(0, 0), at(3 * HOUR, 1), 1],
    ['the clock was set back', at(3 * HOUR, 0), at(HOUR, 1), 1],
    ['the clock was set back by less', at(0, 0), at(HOUR, 2 * HOUR), HOUR],
    ['the host stood still, and its uptime too', at(0, 0), at(HOUR, 1), 1],
    ['the host was started again', at(0, 5 * HOUR), at(HOUR, 1, 'b'), HOUR],
    ['the host was started again, and its clock set back', at(HOUR, 0), at(0, 1, 'b'), 0],
    [
      'a host that does not name its start',
      { ...at(0, 0), boot: undefined },
      { ...at(HOUR, 0), boot: undefined },
      HOUR,
    ],
    // a container has an uptime of its own
    ['another uptime of the same host', at(0, 9 * HOUR), at(HOUR, 1), HOUR],
  ])('%s', (_, from, to, expected) => expect(elapsed(from, to)).toBe(expected));
});

import { describe, expect, it } from 'vitest';
import { elapsed, toWall } from '../../src/model/steady-clock.ts';

const HOUR = 3_600_000;
const at = (wall: number, uptime: number, boot = 'a') => ({ wall, uptime, boot });

describe('the time between two moments', () => {
  it.each([
    ['both clocks agree', at(0, 0), at(HOUR, HOUR), HOUR],
    ['the clock was set forward', at(0, 0), at(3 * HOUR, 1000), 1000],
    ['the clock was set back', at(3 * HOUR, 0), at(HOUR, 1000), 1000],
    ['the clock was set back by less', at(0, 0), at(HOUR, 2 * HOUR), HOUR],
    ['the host stood still, and its uptime too', at(0, 0), at(HOUR, 1000), 1000],
    ['the host was started again', at(0, 5 * HOUR), at(HOUR, 1000, 'b'), HOUR],
    ['the host was started again, and its clock set back', at(HOUR, 0), at(0, 1000, 'b'), 0],
    ['a host that does not name its start', { wall: 0 }, { wall: HOUR }, HOUR],
    // a container has an uptime of its own
    ['another uptime of the same host', at(0, 9 * HOUR), at(HOUR, 1000), HOUR],
  ])('%s', (_, from, to, expected) => expect(elapsed(from, to)).toBe(expected));
});

it('is shown as it is while the clock of the host is not set', () => expect(toWall(1234)).toBe(1234));

import { expect, it } from 'vitest';
import { toWall } from '../../../src/base/model/steady-clock.ts';

it('is shown as it is while the clock of the host is not set', () => expect(toWall(1234)).toBe(1234));

import { expect, it } from 'vitest';
import { keptDays } from '../../src/analyzer/settings.ts';

it('a retention keeps the day that it ends in, for the daemon and for imports', () => {
  expect([86_400, 86_401, 36 * 3600, 2 * 86_400].map(keptDays)).toEqual([1, 2, 2, 2]);
});

import { describe, expect, it } from 'vitest';
import { workingTime } from '../../../src/insight/advice/pass/settings.ts';

const read = (text: string): [number[], number, number] => {
  const { weekdays, from, to } = workingTime.parse(text);
  return [[...weekdays].sort(), from, to];
};

describe('working time', () => {
  it('has days, ranges of days over the end of the week, and hours', () => {
    expect(read('Mon-Fri 08-18')).toEqual([[1, 2, 3, 4, 5], 8, 18]);
    expect(read(' sun,WED  0-24 ')).toEqual([[0, 3], 0, 24]);
    expect(read('Fri-Mon,Wed 6-7')).toEqual([[0, 1, 3, 5, 6], 6, 7]);
  });

  it('is refused otherwise, with an example', () => {
    const messageOf = (text: string) => workingTime.safeParse(text).error?.issues[0]?.message;
    expect(messageOf('Mo-Fr 08-18')).toBe('"Mo-Fr 08-18" is not a working time such as "Mon-Fri 08-18"');
    expect(messageOf('Mon 18-08')).toBe(
      '"Mon 18-08" is not a working time: its hours must be from 0 to 24, the first below the second',
    );
    expect(messageOf('Mon 8-25')).toContain('its hours must be from 0 to 24');
  });
});

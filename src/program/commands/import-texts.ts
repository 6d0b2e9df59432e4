import type { ReadText } from '../../analyzer/exchange/import-texts.ts';
import { recognize, replay } from './capture/replay.ts';

/** Reads what a tool has printed. @param timeZone of the times in it */
export const reader =
  (timeZone: string) =>
  (text: string, now: number): ReadText | undefined => {
    const capture = recognize(text, now, timeZone);
    if (capture === undefined) return undefined;
    const { results, unread } = replay(capture);
    if (results.length === 0) return undefined;
    const { time } = capture.header;
    return {
      at: time === now ? undefined : time,
      observations: results.flatMap(({ vendorLicenses }) => vendorLicenses),
      unread: unread.map(({ line }) => line),
    };
  };

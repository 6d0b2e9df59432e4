import type { Said } from './said-counts.ts';

/** Figures of things that are not the same, of which one says between which figures the other is. */

/** A figure, the figures that it must be between, where it is said, and what it is compared with. */
export interface Related extends Said {
  readonly least: number;
  readonly most: number;
  readonly others: readonly string[];
}

/** Bars of days have the whole first day of their range, and hours are counted back from now. */
const shorter: Readonly<Record<string, string>> = { '7 days': '24 hours', '365 days': '30 days' };

/** What is said of things that are related; those of which the other is not known are left out. */
export function relatedIn(said: readonly Said[]): readonly Related[] {
  const figures = new Map(said.map(({ what, figure }) => [what, Number(figure)]));
  const figureOf = (what: string): number => figures.get(what) ?? Number.NaN;
  const relationOf = (what: string): Omit<Related, keyof Said> | undefined => {
    const [, kind = '', name = '', range = ''] = /^(.*?) of (.*), (\d+ \w+)$/s.exec(what) ?? [];
    const deniedToday = `denied today, ${name}`;
    switch (kind) {
      case 'peak by the hour': {
        const others = [`peak of ${name}, ${shorter[range]}`, `peak of ${name}, ${range}`] as const;
        return { least: figureOf(others[0]), most: figureOf(others[1]), others };
      }
      // the nightly pass ends with yesterday
      case 'denials before today': {
        const all = `denials of ${name}, ${range}`;
        const before = figureOf(all) - figureOf(deniedToday);
        return { least: before, most: before, others: [all, deniedToday] };
      }
      case 'days with denials before today': {
        const all = `days with denials of ${name}, ${range}`;
        const before = figureOf(all) - Math.min(1, figureOf(deniedToday));
        return { least: before, most: before, others: [all, deniedToday] };
      }
      default:
        return undefined;
    }
  };
  return said.flatMap((one) => {
    const relation = relationOf(one.what);
    if (relation === undefined) return [];
    const isKnown = ![relation.least, relation.most, Number(one.figure)].some(Number.isNaN);
    return isKnown ? { ...one, ...relation } : [];
  });
}

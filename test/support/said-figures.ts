import { dateText } from '../../src/base/model/local-time.ts';
import { roundedText } from '../../src/base/texts.ts';
import type { Advice } from '../../src/insight/advice/method/advice.ts';
import { hoursShort } from '../../src/insight/advice/method/curve.ts';

/** Reads the sentences of advice back into figures, and compares them with its columns. */

type Groups = Readonly<Record<string, string | undefined>>;

/** A sentence, and what it says as pairs of a figure and the column that has it. */
interface Form {
  readonly form: RegExp;
  readonly says: (groups: Groups, advice: Advice) => readonly (readonly [said: unknown, column: unknown])[];
}

const N = String.raw`\d[\d,]*(?:\.\d+)?`;
const DATE = String.raw`\d{4}-\d\d-\d\d`;
const sentence = (pattern: string): RegExp => new RegExp(`^${pattern}$`, 'i');
const text = (value: number | undefined): string => roundedText(value ?? Number.NaN);

const kept = ({ bought = Number.NaN, count = Number.NaN }: Advice): number => bought - count;

const isRise = ({ growth }: Advice): boolean => growth.kind === 'proven' && growth.perMonth > 0;

const forms: readonly Form[] = [
  {
    form: sentence(`(?<bought>${N}) bought(?: as of (?<asOf>${DATE}))?`),
    says: ({ bought, asOf }, advice) => [
      [bought, text(advice.bought)],
      [asOf, advice.boughtAsOf === undefined ? undefined : dateText(advice.boughtAsOf)],
    ],
  },
  {
    form: sentence(
      `(?<year>${N}) (?:was|were) enough in the last year(?:, in all samples|, but for (?<hours>less than 0\\.1|${N}) h)`,
    ),
    says: ({ year, hours }, advice) => {
      const short = hoursShort(advice, advice.lastYear ?? Number.NaN);
      return [
        [year, text(advice.lastYear)],
        [hours ?? '0', short > 0 && text(short) === '0' ? 'less than 0.1' : text(short)],
        [(advice.lastYear ?? 0) <= (advice.bought ?? 0), true],
      ];
    },
  },
  {
    form: sentence(
      `up to (?<year>${N}) (?:was|were) in use in the last year(?:, of the (?<before>${N}) that were bought until ${DATE})?`,
    ),
    says: ({ year, before }, advice) => [
      [year, text(advice.lastYear)],
      [(advice.lastYear ?? 0) >= (advice.bought ?? 0), true],
      [before === undefined || Number(before.replaceAll(',', '')) > (advice.bought ?? 0), true],
    ],
  },
  {
    form: sentence(`(?<needed>${N}) would have been too few on more than 6 days`),
    says: ({ needed }, advice) => [
      [needed, text(advice.needed)],
      [(advice.needed ?? 0) < (advice.lastYear ?? 0), true],
    ],
  },
  {
    form: sentence(`more than (?<most>${N}) (?:was|were) in use about ${DATE} only`),
    says: ({ most }, advice) => [[Number((most ?? '').replaceAll(',', '')) < (advice.needed ?? 0), true]],
  },
  {
    form: sentence(
      `use (?<verb>grows|falls) by (?<share>${N}) % a month \\((?<by>${N}) licenses?\\)(?: since about (?<since>${DATE}))?`,
    ),
    says: ({ verb, share, by }, { growth }) => [
      [growth.kind, 'proven'],
      ...(growth.kind === 'proven'
        ? [
            [verb, growth.perMonth > 0 ? 'grows' : 'falls'] as const,
            [share, text(100 * Math.abs(growth.share))] as const,
            [by, text(Math.abs(growth.perMonth))] as const,
          ]
        : []),
    ],
  },
  {
    form: sentence(`use (?<verb>rose|fell) by .*about ${DATE}`),
    says: ({ verb }, { growth, runsOut }) => [
      [growth.kind, 'step'],
      [verb, growth.kind === 'step' && growth.by > 0 ? 'rose' : 'fell'],
      [runsOut, undefined],
    ],
  },
  {
    form: sentence('use has a season, and is at its highest in \\w+'),
    says: (_, { growth, runsOut }) => [
      [growth.kind, 'season'],
      [runsOut, undefined],
    ],
  },
  {
    form: sentence(`use has been level since about ${DATE}`),
    says: (_, { growth, runsOut }) => [
      [growth.kind, 'ended'],
      [runsOut, undefined],
    ],
  },
  {
    form: sentence('use is level'),
    says: (_, { growth, mayRise, runsOut }) => [
      [growth.kind, 'not proven'],
      [mayRise, false],
      [runsOut, undefined],
    ],
  },
  {
    form: sentence('use may rise, which is not proven yet'),
    says: (_, { growth, mayRise, runsOut }) => [
      [growth.kind, 'not proven'],
      [mayRise, true],
      [runsOut, undefined],
    ],
  },
  {
    form: sentence('whether use grows is not known before 26 weeks are recorded'),
    says: (_, { growth, runsOut }) => [
      [growth.kind, 'unknown'],
      [runsOut, undefined],
    ],
  },
  {
    form: sentence(
      `(?<left>${N}) (?:is|are) enough for the coming year with a chance of 9 in 10, so (?<count>${N}) could go`,
    ),
    says: ({ left, count }, advice) => [
      [left, text(kept(advice))],
      [left, text(advice.enough)],
      [count, text(advice.count)],
    ],
  },
  {
    form: sentence(
      `(?<left>${N}) (?:is|are) kept, because the last year needed (?:it|them), so (?<count>${N}) could go`,
    ),
    says: ({ left, count }, advice) => [
      [left, text(kept(advice))],
      [left, text(advice.lastYear)],
      [(advice.enough ?? 0) < kept(advice), true],
      [count, text(advice.count)],
    ],
  },
  {
    form: sentence(
      `the chance that (?<bought>${N}) (?:is|are) enough for the coming year is (?<chance>less than 1 in 10|more than 9 in 10|\\d in 10)(?:; (?<enough>${N}) would be enough with a chance of 9 in 10)?`,
    ),
    says: ({ bought, chance, enough }, advice) => [
      [bought, text(advice.bought)],
      [chance === 'more than 9 in 10', (advice.enough ?? Number.NaN) <= (advice.bought ?? 0)],
      [enough, (advice.enough ?? 0) > (advice.bought ?? 0) ? text(advice.enough) : undefined],
      // a single license is tight only by refusals
      [advice.bought === 1 || /^(?:more than 9|8)/.test(chance ?? '') === (advice.state === 'fine'), true],
    ],
  },
  {
    form: sentence('whether they are enough for the coming year is not known'),
    says: (_, { enough }) => [[enough, undefined]],
  },
  { form: sentence('that leaves little room'), says: (_, { state }) => [[state, 'tight']] },
  {
    form: sentence(`a busy week has (?<busy>${N}) of (?<bought>${N}) in use, which leaves little room`),
    says: ({ busy, bought }, advice) => [
      [busy, text(advice.busyWeek)],
      [bought, text(advice.bought)],
      [advice.state, 'tight'],
    ],
  },
  {
    form: sentence(
      `(?:(?<none>no request was refused(?: for want of licenses)?)|requests were refused on (?<days>${N}) of (?<known>${N}) days? whose denials are known(?:, and on (?<now>none|${N}) of the (?<nowKnown>${N}) with this number of licenses)?)(?: \\((?:unclear on ${N} (?:days?|of the others)|matched by the day)\\))*`,
    ),
    says: ({ none, days, known, now, nowKnown }, { refusalDays, denialsKnownDays, refusalsNow }) =>
      none === undefined
        ? [
            [days, text(refusalDays)],
            [known, text(denialsKnownDays)],
            [now === 'none' ? '0' : (now ?? days), text(refusalsNow?.days)],
            [nowKnown ?? known, text(refusalsNow?.recordedDays)],
          ]
        : [[refusalDays, 0]],
  },
  {
    form: sentence(
      `people waited (?:once|${N} times), (?:less than 1|${N}) min(?: in all)?: (?:all licenses were (?:busy|in use)|the cause is not known)`,
    ),
    says: () => [],
  },
  {
    form: sentence(
      `people waited (?:once|${N} times), (?:less than 1|${N}) min(?: in all)? \\(.+: ${N}\\): no more licenses are needed for them`,
    ),
    says: () => [],
  },
  { form: sentence('refusals are not known \\(.*\\)'), says: (_, { refusalDays }) => [[refusalDays, undefined]] },
  {
    form: sentence(`(?<days>\\d+) of 365 days are recorded`),
    says: ({ days }, advice) => [[Number(days), advice.days]],
  },
  {
    form: sentence('this is provisional, because (?<why>.*)'),
    says: ({ why }, advice) => [
      [why, advice.uncertainties.join(' and ')],
      [advice.confidence, 'provisional'],
    ],
  },
  { form: sentence(`at least (?<free>\\d+) (?:was|were) free in all samples`), says: () => [] },
  {
    form: sentence('reservations are not recorded: check that no licenses are reserved before you give any back'),
    says: () => [],
  },
  { form: sentence('check that no licenses are reserved before you give any back'), says: () => [] },
  {
    form: sentence('reservations are .* refused while licenses seemed to be free'),
    says: (_, { confidence }) => [[confidence, 'provisional']],
  },
  { form: sentence(`up to ${N} licenses? (?:was|were) reserved`), says: () => [] },
  {
    form: sentence(
      `about (?<sum>${N}) are needed \\((?<least>${N}) to (?<most>${N})\\), so (?<count>${N}) (?:is|are) missing`,
    ),
    says: ({ sum, least, most, count }, { bought = 0, count: missing = 0, countRange = [0, 0] }) => [
      [sum, text(bought + missing)],
      [least, text(bought + countRange[0])],
      [most, text(bought + countRange[1])],
      [count, text(missing)],
    ],
  },
  {
    form: sentence(`all (?:was|were) in use for (?<hours>${N}) h a year(?:, ${N} % of the (?:working )?time)?`),
    says: ({ hours }, { fullHours }) => [[hours, text(fullHours)]],
  },
  { form: sentence('that is estimated over all hours, nights included'), says: () => [] },
  { form: sentence('history cannot say how many are missing'), says: (_, { count }) => [[count, undefined]] },
  {
    form: sentence(`buy a tenth more \\(${N}\\), and check again after 4 weeks`),
    says: (_, { count }) => [[count, undefined]],
  },
  { form: sentence(`${N} were bought until ${DATE}, and up to ${N} of them were in use on most days`), says: () => [] },
  {
    form: sentence(`(?<spare>${N}) could go, but .*`),
    says: ({ spare }, { state, bought = 0, lastYear = 0, enough = 0 }) => [
      [state === 'could go', false],
      [spare, text(Math.floor(bought - Math.max(lastYear, enough)))],
    ],
  },
  {
    form: sentence(`requests were refused at a rate of more than 12 days a year, but .*`),
    says: (_, { state }) => [[state === 'missing', false]],
  },
  { form: sentence('no advice: .*'), says: (_, { state }) => [[state, 'no advice']] },
  { form: sentence('not enough data: .*'), says: (_, { state }) => [[state, 'not enough data']] },
  {
    form: sentence(`no use was seen (?:at all |since (?<since>${DATE}) )in .*`),
    says: ({ since }, advice) => [
      [advice.state, 'unused'],
      [since, advice.unusedSince === undefined || since === undefined ? since : dateText(advice.unusedSince)],
    ],
  },
  {
    form: sentence('this must be confirmed, because short use between two samples is not seen'),
    says: (_, { state }) => [[state, 'unused']],
  },
  {
    form: sentence('most of the time, reserved licenses were not in use then'),
    says: (_, { state }) => [[state, 'reserved']],
  },
  { form: sentence('free the reservation first'), says: (_, { state }) => [[state, 'reserved']] },
];

/** A point ends a sentence if a capital letter or a number follows. */
const sentencesOf = (reason: string): readonly string[] => reason.replace(/\.$/, '').split(/\. (?=[A-Z0-9])/);

/** Where the sentences of advice say something else than its columns; empty if nowhere. */
export function contradictionsIn(advice: Advice): readonly string[] {
  return sentencesOf(advice.reason).flatMap((one) => {
    const found = forms.flatMap(({ form, says }) => {
      const match = form.exec(one);
      return match === null ? [] : [says(match.groups ?? {}, advice)];
    });
    const [pairs] = found;
    if (pairs === undefined) return [`not known: ${one}`];
    return pairs.filter(([said, column]) => said !== column).map(([said, column]) => `${one}: ${said}, not ${column}`);
  });
}

/** What the columns of advice say against each other; empty if nothing. */
export function conflictsIn(advice: Advice): readonly string[] {
  const { state, bought = Number.NaN, count, likely, enough, needed, lastYear, runsOut, confidence, days } = advice;
  const rules: readonly (readonly [name: string, isKept: boolean])[] = [
    ['as likely more as fewer is at most what is enough', (likely ?? 0) <= (enough ?? Number.POSITIVE_INFINITY)],
    ['the last year needed at least what its hours needed', (needed ?? 0) <= (lastYear ?? Number.POSITIVE_INFINITY)],
    [
      'what could go leaves what the last and the coming year need',
      state !== 'could go' || kept(advice) === Math.max(lastYear ?? 0, enough ?? 0),
    ],
    ['at least one could go', state !== 'could go' || (count ?? 0) >= 1],
    [
      'a number is advised only if licenses could go or are missing',
      count === undefined || state === 'could go' || state === 'missing',
    ],
    ['a date has proven growth', runsOut === undefined || isRise(advice)],
    [
      'a date lies in its range, and is not past',
      runsOut === undefined ||
        (advice.computed <= runsOut.earliest &&
          runsOut.earliest <= runsOut.day &&
          runsOut.day <= (runsOut.latest ?? runsOut.day)),
    ],
    ['what is provisional says why', confidence !== 'provisional' || advice.uncertainties.length > 0],
    [
      'what is certain has no reason to be provisional',
      confidence !== 'high' || (advice.uncertainties.length === 0 && days >= 330),
    ],
    [
      'what could go is no certain advice while use may rise',
      state !== 'could go' || confidence !== 'high' || advice.mayRise !== true,
    ],
    [
      'without advice, nothing is expected',
      enough === undefined || !['no advice', 'not enough data', 'unused'].includes(state),
    ],
    ['a number of licenses', state === 'no advice' || !Number.isNaN(bought)],
  ];
  return rules.filter(([, isKept]) => !isKept).map(([name]) => name);
}

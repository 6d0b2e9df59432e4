import type { Finding } from './alert.ts';
import {
  aboutSite,
  createRule,
  type Evaluation,
  type Forecast,
  type Forecasts,
  type RuleContext,
  type RuleFactory,
} from './rule.ts';
import type { Durations } from './rule-settings.ts';
import { monthText } from './texts.ts';

/** The rule about features whose use grows until all licenses are in use. */

interface RunsOutParameters extends Durations {
  /** The alert starts when the licenses run out within this time, seconds. */
  readonly lead: number;
}

/** Without a good pass for this long, it is unknown when licenses run out, seconds. */
const MAX_AGE = 2 * 86_400;
/** The alert ends when the date is farther away than this times `lead`. */
const FAR = 1.5;
/** Features read between two yields. */
const SLICE = 1000;

const MEANING =
  'From then on, every fourth week is expected to have a moment with all licenses in use. Order more licenses in time, or find out why the use grows.';

/** A feature whose licenses run out, or are not yet far enough from it. */
interface Due {
  readonly forecast: Forecast;
  /** The day on which they run out. */
  readonly day: number;
  /** When that day begins, epoch seconds. */
  readonly at: number;
  readonly isRaised: boolean;
}

/** `2027-03 (2027-01 to 2027-08)`. The range belongs to the last computation, which may have found no date. */
function dateText({ day, forecast: { runsOut } }: Due): string {
  const month = monthText(day);
  if (runsOut === undefined) return month;
  const { earliest, latest } = runsOut;
  const range = latest === undefined ? 'or later' : `to ${monthText(latest)}`;
  return `${month} (${monthText(earliest)} ${range})`;
}

/** The features that the rule is about, in slices. @param listed vendor licenses */
function* collectDue(
  { rows, startOf }: Forecasts,
  listed: ReadonlySet<string>,
  now: number,
  parametersOf: RuleContext<RunsOutParameters>['parametersOf'],
): Generator<void, readonly Due[]> {
  const due: Due[] = [];
  for (const [i, forecast] of rows.entries()) {
    if (i % SLICE === SLICE - 1) yield;
    const { confirmedRunsOut: day, vendorLicense } = forecast;
    if (day === undefined || !listed.has(vendorLicense)) continue;
    const { enabled, lead } = parametersOf(forecast);
    const at = startOf(day);
    if (enabled && at <= now + FAR * lead) due.push({ forecast, day, at, isRaised: at <= now + lead });
  }
  return due;
}

type CreateFinding = RuleContext<RunsOutParameters>['finding'];

function ofFeature(one: Due, finding: CreateFinding): Finding {
  const { vendorLicense, feature, package: pkg, featureType } = one.forecast;
  const name = `${feature}${pkg === '' ? '' : ` (package ${pkg})`} of ${vendorLicense}`;
  return finding(
    { vendor_license: vendorLicense, feature, package: pkg, feature_type: featureType },
    {
      summary: `${name} is expected to run out of licenses about ${dateText(one)}.`,
      description: MEANING,
      figure: `about ${dateText(one)}`,
    },
    one.at,
    one.isRaised,
  );
}

const notKnown: Evaluation = { findings: [], isUnknown: () => true, unknownAbout: aboutSite(true), hasNoData: true };

/** A feature of which the last good pass gives no date does not run out. */
export const createRunsOut: RuleFactory<RunsOutParameters> = (name, settings) =>
  createRule({
    name,
    severity: 'warning',
    settings,
    threshold: ({ lead }) => lead,
    grouping: {
      worst: 'smallest',
      summarize: ({ vendorLicense, count }) =>
        `${count} features of ${vendorLicense} are expected to run out of licenses.`,
      remedy: MEANING,
    },
    *evaluate({ now, forecasts, inventory }, { parametersOf, finding }): Generator<void, Evaluation> {
      if (forecasts === undefined || now - forecasts.computedAt >= MAX_AGE) return notKnown;
      const listed = new Set(
        [...inventory.vendorLicenses].flatMap(({ isReported, vendorLicense }) => (isReported ? vendorLicense : [])),
      );
      const due = yield* collectDue(forecasts, listed, now, parametersOf);
      const findings = due.map((one) => ofFeature(one, finding));
      // the pass of last night can name a vendor license that is gone since then
      const isListKnown = inventory.knowledge.products;
      return {
        findings,
        isUnknown: ({ vendor_license: name = '' }) => !isListKnown && !listed.has(name),
        unknownAbout: aboutSite(!isListKnown),
        hasNoData: !isListKnown,
      };
    },
  });

import type { ExampleSite } from '../../../src/alerting/alerts/definition.ts';
import { engineAlerts } from '../../../src/alerting/alerts/definitions.ts';
import type { SourceState, View } from '../../../src/alerting/alerts/rule.ts';
import { historyPart } from '../../../src/base/model/snapshot.ts';
import { forecast, forecasts } from '../../support/forecasts.ts';
import { answer, expiration, failed, feature, good, NOW, product, type Scenario } from '../../support/scenario.ts';
import { trendOf } from '../../support/trend.ts';

/** The example of each alert, as a site on which it fires. */

const DAY = 86_400;

/** A day of history: denials, or a gap where they are unknown. */
export function historyOf(denials: number | undefined): NonNullable<Scenario['history']> {
  const day = (NOW - DAY) * 1000;
  const part = historyPart({ product: 'lic01;cdslmd', feature: 'base', package: '', featureType: 'feature' });
  const series = [
    trendOf('Elapsed Time', [[day, 12.5]]),
    trendOf('Denials', denials === undefined ? [] : [[day, denials]]),
  ];
  return { interval: 3600, maxAge: 10_800, parts: new Map([[part, good(series)]]) };
}

/** A source whose only server answers. */
export const source = (fields: Partial<SourceState> = {}): SourceState => ({
  name: 'site',
  manager: 'flexnet',
  failedReadings: 0,
  isServerDown: false,
  members: [{ up: true }],
  vendorLicenses: ['lic01;cdslmd'],
  ...fields,
});

function scenarioOf(site: ExampleSite): Scenario {
  const { products = [{}], down = [], features, isPartial, missingFields, badRecords = 0, denials } = site;
  const list = products === 'failed' ? [] : products.map((each) => product(each));
  const fields = missingFields && [{ owner: 'lic01;cdslmd', names: missingFields }];
  return {
    products:
      products === 'failed'
        ? failed()
        : good({ ...answer(list, { bad_record: badRecords }), ...(fields !== undefined && { fields }) }),
    down: good(answer(down.map((label) => ({ label })))),
    ...(features !== undefined && { features: { '': good(answer(features.map((each) => feature(each)))) } }),
    ...(isPartial && { expirations: { 'lic01;cdslmd': good(answer([expiration()])), 'lic02;mgcld': failed() } }),
    ...(denials !== undefined && { history: historyOf(denials) }),
  };
}

interface SiteOfExample
  extends Partial<Pick<View, 'sources' | 'recording' | 'forecasts' | 'isSeriesLimited' | 'isReloadRefused'>> {
  readonly scenario: Scenario;
  readonly before?: Scenario;
  readonly settings?: unknown;
  readonly authenticated?: boolean;
}

/** By the name of the alert. */
export const examples: Readonly<Record<string, SiteOfExample>> = Object.fromEntries(
  Object.entries(engineAlerts).map(([name, alert]) => {
    const { before, settings, authenticated, recording, isSeriesLimited, isReloadRefused, ...example } =
      alert.example(NOW);
    const site: SiteOfExample = {
      ...{ settings, recording, scenario: scenarioOf(example) },
      sources: example.sources?.map((fields) => source(fields)),
      forecasts: example.forecasts && forecasts(example.forecasts.map((fields) => forecast(fields))),
      ...(before !== undefined && { before: scenarioOf(before) }),
      ...(authenticated !== undefined && { authenticated }),
      ...(isSeriesLimited !== undefined && { isSeriesLimited }),
      ...(isReloadRefused !== undefined && { isReloadRefused }),
    };
    return [name, site];
  }),
);

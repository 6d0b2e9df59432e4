import { demoDefaults } from '../../src/program/app/demo-analyzer.ts';
import { settingsOf } from '../support/alert-views.ts';
import { type BothWays, watchSite } from './both-ways.ts';
import { START } from './company.ts';

/**
 * A week of the demo of `npm start`, whose server is down all the time: its site, its rules, and a reading each minute. Nothing is
 * forecast. It is one of the weeks, one in four, in which a trial license has seven days left.
 */

export const DEMO_DAYS = 7;
/** Local hour at which it is started. */
const STARTED_AT = 9 * 3600;

export const watchDemo = (): Promise<BothWays> =>
  watchSite({
    ...{ from: START + STARTED_AT, seconds: DEMO_DAYS * 86_400, interval: 60 },
    rules: settingsOf(demoDefaults.get('alerting.rules')),
  });

import { type Html, html } from '../html/html.ts';
import { type AlertFrame, rulesHtml, timeHtml } from './alert-html.ts';
import { type EngineStatus, ruleNames, withoutData } from './engine-status.ts';
import { humanDuration } from './texts.ts';

/** Whether the rules are evaluated, on the page `/alerts`. */

/** Evaluations that may be missed before alerts count as out of date. */
const MISSED = 3;

/** Whether the rules have been evaluated lately: without that, no alert does not mean that all is well. */
export const isCurrent = ({ lastEvaluation, evaluationInterval }: EngineStatus, now: number): boolean =>
  lastEvaluation !== undefined && now - lastEvaluation.at <= MISSED * evaluationInterval;

/** When the rules were evaluated, and which had no data. */
export function evaluationHtml(status: EngineStatus, frame: AlertFrame): Html {
  const { lastEvaluation, evaluationInterval } = status;
  const every = humanDuration(evaluationInterval);
  if (lastEvaluation === undefined) {
    return html`<p class="problem">The rules have not been evaluated yet: there is no data from the analyzer, or a rule fails. Which alerts apply is unknown. If this does not change within some minutes, see the log and run <code>license-exporter doctor</code>.</p>`;
  }
  if (!isCurrent(status, frame.now)) {
    return html`<p class="problem">The last evaluation was at ${timeHtml(lastEvaluation.at, frame)}, although the rules are evaluated every ${every}: there is no current data, or a rule fails. See the log. New alerts are not noticed, and earlier ones may be out of date.</p>`;
  }
  const names = ruleNames(status);
  const without = withoutData(status);
  const unknown =
    without.length === 0
      ? undefined
      : html` These have no data, so whether they apply is unknown: ${rulesHtml(without, frame.runbooks)}.`;
  return html`<p class="soft">${names.length} ${names.length === 1 ? 'kind' : 'kinds'} of alerts, evaluated ${humanDuration(frame.now - lastEvaluation.at)} ago and at least every ${every}.${unknown}</p>`;
}

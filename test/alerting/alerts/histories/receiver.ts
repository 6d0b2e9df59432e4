import { AlertmanagerModel, type Stored } from '../../../support/alertmanager-model.ts';
import { type Firing, FiringTicks, labelsOf, textOf } from './firing.ts';
import { type History, timeOf } from './history.ts';

/** What Alertmanager makes of two senders: the exporters, and Prometheus. */

/** Alertmanager that remembers what exporters have sent. */
export class RecordingAlertmanager extends AlertmanagerModel {
  readonly sent: { readonly at: number; readonly alert: Stored }[] = [];

  override put(alert: Stored): void {
    this.sent.push({ at: this.now, alert });
    super.put(alert);
  }
}

/** How long Prometheus sends an end again, seconds. */
const RESOLVED = 15 * 60;
/** It sends each alert again after this time, or at its next evaluation if that is later, seconds. */
const RESEND_DELAY = 60;
/** What it sends lasts for as many of them. */
const VALID = 4;

/** One time that an alert of Prometheus fires. Ticks, `to` is the first one in which it does not. */
interface Stretch {
  readonly from: number;
  readonly to: number;
}

function stretchesOf(ticks: ReadonlySet<number>): readonly Stretch[] {
  const found: { from: number; to: number }[] = [];
  for (const tick of [...ticks].sort((x, y) => x - y)) {
    const last = found.at(-1);
    if (last?.to === tick) last.to = tick + 1;
    else found.push({ from: tick, to: tick + 1 });
  }
  return found;
}

/**
 * When alerts fire for Alertmanager: at the end of a tick, after Prometheus has sent. It takes the newest update of an alert, so that
 * of two senders that disagree the last one counts.
 */
export function receive(history: History, sent: RecordingAlertmanager['sent'], prometheus: Firing): Firing {
  const model = new AlertmanagerModel();
  const firing = new FiringTicks();
  const stretches = new Map([...prometheus].map(([text, ticks]) => [text, stretchesOf(ticks)]));
  const validity = VALID * Math.max(RESEND_DELAY, history.step * 60);
  let next = 0;
  for (let tick = 0; tick < history.ticks; tick += 1) {
    const now = timeOf(history, tick);
    model.now = now;
    for (; (sent[next]?.at ?? Number.POSITIVE_INFINITY) <= now; next += 1) {
      const { alert } = sent[next] as (typeof sent)[number];
      model.put({ ...alert, labels: labelsOf(textOf(alert.labels)) });
    }
    for (const [text, all] of stretches) {
      // a new one displaces the end of that before it
      const last = all.findLast(({ from }) => from <= tick);
      if (last === undefined) continue;
      const end = timeOf(history, last.to);
      const isOver = tick >= last.to;
      if (isOver && now - end > RESOLVED) continue;
      const alert = { labels: labelsOf(text), annotations: {}, startsAt: timeOf(history, last.from) };
      model.put({ ...alert, endsAt: isOver ? end : now + validity });
    }
    for (const labels of model.firing()) firing.add(textOf(labels), tick);
  }
  return firing.all;
}

import type { PageLink } from '../../../base/html/frame.ts';
import { recordingProblem } from '../../../base/model/observation/recording.ts';
import { readAttention } from '../alert-list.ts';
import { readDenied } from '../denied.ts';
import { attempt } from '../known.ts';
import { inventoryPage, type PageContext, parameterOf, written } from '../page.ts';
import type { Routes } from '../routes.ts';
import { findFeatures, wordsOf } from '../search.ts';
import { figuresOf } from '../site-figures.ts';
import { statusContent } from './markup.ts';

/** The whole site. The parameter `q` filters it. */
export const statusRoutes = (context: PageContext, link: PageLink): Routes =>
  inventoryPage(context, async ({ request, backend, inventory, signal }) => {
    const { analyzer, alertCounts, collecting, denials, interfaces } = context;
    const owners = backend.owners();
    const now = backend.now();
    const filter = parameterOf(request, 'q');
    const words = wordsOf(filter);
    const data = {
      inventory,
      found: words.length === 0 ? undefined : await findFeatures(inventory, words, undefined, owners),
      figures: await figuresOf(inventory),
      analyzer: analyzer(),
      owners,
      sources: collecting?.sources(),
      notRecorded: collecting && recordingProblem(collecting.recording(), now),
      denied: await readDenied(denials(), inventory),
      attention: await attempt(() => readAttention(backend, signal)),
      alerts: alertCounts(),
      filter,
      words,
      interfaces,
    };
    const clock = { now, timeZone: backend.localTime.timeZone };
    return written({ ...link, refreshes: true }, statusContent(data, clock));
  });

import { createLocalTime } from '../../../src/model/local-time.ts';
import type { Manager } from '../../../src/sources/managers.ts';
import { renderLmstat, renderLmstatInventory } from './render-lmstat.ts';
import { renderObservations } from './render-observations.ts';
import { renderRlmstat } from './render-rlmstat.ts';
import type { Site } from './site.ts';

const utc = createLocalTime('UTC');

/** The texts of a site by manager, each with its kind. The first one has the usage. */
export const renderTexts: Readonly<Record<Manager, (site: Site) => readonly [Rendered, ...Rendered[]]>> = {
  flexnet: (site) => [
    ['lmstat', renderLmstat(site, utc)],
    ['inventory', renderLmstatInventory(site, utc)],
  ],
  rlm: (site) => [['rlmstat', renderRlmstat(site, utc)]],
  json: (site) => [['document', renderObservations(site)]],
};

type Rendered = readonly [kind: string, text: string];

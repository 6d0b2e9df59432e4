import type { Manager } from '../../../src/analyzer/sources/managers.ts';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import { renderLmstat, renderLmstatInventory } from './render-lmstat.ts';
import { renderAnswers, renderDsls, renderLmx, renderLsdyna, renderRms, renderSlurm } from './render-managers.ts';
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
  dsls: (site) => [['dslicsrv', renderDsls(site)]],
  lmx: (site) => [['lmxendutil', renderLmx(site)]],
  lsdyna: (site) => [['lstc_qrun', renderLsdyna(site)]],
  rms: (site) => [['lsmon', renderRms(site)]],
  slurm: (site) => [['scontrol', renderSlurm(site)]],
  'query-api': (site) => [['answers', renderAnswers(site)]],
  json: (site) => [['document', renderObservations(site)]],
};

type Rendered = readonly [kind: string, text: string];

import { z } from 'zod';
import { listOf } from '../../../base/settings/structures.ts';
import { autoOr, text } from '../../../base/settings/values.ts';

/** Who may see names of license users, and prices. */

/** An entry that stands for every client, authenticated or not. */
export const EVERYONE = '*';

/** An entry that stands for the members of a group, followed by its name. No user of the web config has a colon in the name. */
export const GROUP = 'group:';

const noGroup = { error: `is no name of a group; write ${GROUP}NAME` };

const viewer = text.refine((written) => written !== GROUP, noGroup);

const viewers = autoOr(listOf(viewer)).prefault('auto');

/** Who may see names of license users, and prices. */
export const access = z
  .strictObject({
    names: viewers.describe(
      'Users that may see names of license users: those of the web config, and those that `web.trusted_proxy` names. `group:NAME` stands for the members of a group, `*` for every client. `auto`: all of these users, and in the demo also every client if it listens on loopback only.',
    ),
    prices: viewers.describe(
      'Users that may see prices, and groups as `group:NAME`. `*` stands for every client. `auto`: nobody, but in the demo every client if it listens on loopback only.',
    ),
  })
  .describe('Who may see names of license users, and prices.');

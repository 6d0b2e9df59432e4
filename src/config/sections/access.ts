import { z } from 'zod';
import { listOf } from '../structures.ts';
import { autoOr, text } from '../values.ts';

/** Who may see names of license users, and prices. */

/** An entry that stands for every client, authenticated or not. */
export const EVERYONE = '*';

const users = autoOr(listOf(text)).prefault('auto');

export const access = z
  .strictObject({
    names: users.describe(
      'Users of the web config that may see names of license users. `*` stands for every client. `auto`: all users of the web config, and in the demo also every client if it listens on loopback only.',
    ),
    prices: users.describe(
      'Users of the web config that may see prices. `*` stands for every client. `auto`: nobody, but in the demo every client if it listens on loopback only.',
    ),
  })
  .describe('Who may see names of license users, and prices.');

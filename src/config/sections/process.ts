import { z } from 'zod';
import { integer, oneOf, text } from '../values.ts';

export const storage = z
  .strictObject({
    path: text
      .optional()
      .describe(
        'Directory that keeps the count of logons, the alerts, and the history of the embedded analyzer across restarts. One process may use it.',
      ),
  })
  .describe('What is kept across restarts.');

export const shard = z
  .strictObject({
    index: integer(0, 999).prefault(0).describe('Zero-based number of this shard.'),
    total: integer(1, 1000).prefault(1).describe('Number of shards: each looks after its own vendor licenses.'),
  })
  .describe('Which share of the vendor licenses this process handles.');

export const log = z
  .strictObject({
    level: oneOf('debug', 'info', 'warn', 'error').prefault('info').describe('Least level that is logged.'),
    format: oneOf('json', 'pretty').optional().meta({
      description: 'Form of the log.',
      shownDefault: '`pretty` on a terminal, else `json`',
    }),
  })
  .describe('The log on standard error.');

import { z } from 'zod';
import type { SectionOf } from '../../base/settings/table.ts';
import { oneOf } from '../../base/settings/values.ts';

/** What is logged, and in which form. */
export const log = z
  .strictObject({
    level: oneOf('debug', 'info', 'warn', 'error')
      .prefault('info')
      .meta({ restart: true })
      .describe('Lowest level that is logged: `debug`, `info`, `warn` or `error`.'),
    format: oneOf('json', 'logfmt', 'pretty').optional().meta({
      restart: true,
      description: 'Format of the log: `json`, `logfmt` as of Prometheus, or `pretty` for people.',
      shownDefault: '`pretty` on a terminal and in the demo, else `json`',
    }),
  })
  .describe('The log on standard error.');

export type LogSection = SectionOf<typeof log>;

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The text of the documentation about an alert, in addition to its rule. */
export interface AlertDescription {
  readonly condition: string;
}

/** The sections of the runbooks by alert: the only place that describes the condition of an alert in words. */
export const alertCatalogue: Readonly<Record<string, AlertDescription>> = Object.fromEntries(
  readFileSync(join(import.meta.dirname, '../runbooks.md'), 'utf8')
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const name = /^\w+/.exec(section)?.[0] ?? '';
      const condition = /^\*\*Condition\.\*\* (.+)$/m.exec(section)?.[1];
      if (condition === undefined) throw new Error(`deploy/runbooks.md: ${name} has no line **Condition.**`);
      return [name, { condition }];
    }),
);

import { z } from 'zod';
import { identityLabels, scopeLabels } from '../model/alert-labels.ts';
import { recordOf } from './structures.ts';
import { anyText, isNot, notExpression, text } from './values.ts';

/** Labels added to alerts, and label matchers. */

/** Labels that each alert sets. They cannot be configured. */
export const reservedLabels: readonly string[] = [...identityLabels, ...scopeLabels, 'source'];

/** A label that no alert sets itself. */
export const labelName = z
  .string({ error: isNot('a label name') })
  .regex(/^[a-zA-Z_][a-zA-Z0-9_]*$/, { error: 'is not a label name; use letters, digits and _', abort: true })
  .refine((name) => !reservedLabels.includes(name), { error: 'is reserved: each alert sets it' });

export const labelMap = recordOf(labelName, anyText, isNot('a map of labels'), 'is not a label name');

/** A matcher in the syntax of Prometheus and Alertmanager. Regular expressions match the whole value. */
export interface Matcher {
  readonly label: string;
  readonly operator: '=' | '!=' | '=~' | '!~';
  readonly value: string;
}

const MATCHER = /\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*(=~|!~|!=|=)\s*("(?:[^"\\]|\\.)*")\s*(?:,|$)/y;

/** The matchers of a text, or why it cannot be parsed. */
function parseMatchers(written: string): readonly Matcher[] | string {
  const refusal = isNot('a list of matchers such as vendor_license="lic01;cdslmd", feature=~"x.*"')({ input: written });
  const source = written.replace(/^\{(.*)\}$/s, '$1');
  const found: Matcher[] = [];
  MATCHER.lastIndex = 0;
  while (MATCHER.lastIndex < source.length) {
    const match = MATCHER.exec(source);
    if (match === null) return refusal;
    const [, label = '', operator = '', quoted = ''] = match;
    try {
      const value = JSON.parse(quoted) as string;
      if (operator.endsWith('~')) new RegExp(`^(?:${value})$`, 'su');
      found.push({ label, operator: operator as Matcher['operator'], value });
    } catch (error) {
      const isExpression = (error as Error).message.startsWith('Invalid regular expression');
      return isExpression ? notExpression(JSON.parse(quoted) as string, error) : refusal;
    }
  }
  return found.length === 0 ? refusal : found;
}

/** `vendor_license="lic01;cdslmd", feature=~"x.*"`, optionally in braces. All matchers must match. */
export const matchers = text.transform((written, context): readonly Matcher[] => {
  const found = parseMatchers(written);
  if (typeof found !== 'string') return found;
  context.addIssue({ code: 'custom', message: found });
  return z.NEVER;
});

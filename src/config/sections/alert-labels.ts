import { anyText, type Parse, text, ValueError } from '../values.ts';

/** Labels to add to alerts, and matchers of labels. */

const LABEL_NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

/** Labels by name; those that alerts are told apart by cannot be given. */
export const labelMap: Parse<Readonly<Record<string, string>>> = (raw) => {
  const reserved = [
    'alertname',
    'severity',
    'vendor_license',
    'feature',
    'version',
    'package',
    'feature_type',
    'endpoint',
    'source',
    'analyzer',
  ];
  if (raw !== null && (typeof raw !== 'object' || Array.isArray(raw))) throw new ValueError('is not a map of labels');
  return Object.fromEntries(
    Object.entries(raw ?? {}).map(([name, value]) => {
      if (!LABEL_NAME.test(name)) throw new ValueError(`${JSON.stringify(name)} is not a label name`);
      if (reserved.includes(name)) throw new ValueError(`${name} is set by the alerts themselves`);
      return [name, anyText(value)];
    }),
  );
};

/** A matcher as Prometheus and Alertmanager write them. */
export interface Matcher {
  readonly label: string;
  readonly operator: '=' | '!=' | '=~' | '!~';
  readonly value: string;
}

const MATCHER = /\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*(=~|!~|!=|=)\s*("(?:[^"\\]|\\.)*")\s*(?:,|$)/y;

/** `vendor_license="lic01;cdslmd", feature=~"x.*"`, braces around it allowed: all of them must match. */
export const matchers: Parse<readonly Matcher[]> = (raw) => {
  const source = text(raw).replace(/^\{(.*)\}$/s, '$1');
  const refuse = (): never => {
    throw new ValueError(
      `${JSON.stringify(raw)} is not a list of matchers such as vendor_license="lic01;cdslmd", feature=~"x.*"`,
    );
  };
  const found: Matcher[] = [];
  MATCHER.lastIndex = 0;
  while (MATCHER.lastIndex < source.length) {
    const match = MATCHER.exec(source);
    if (match === null) return refuse();
    const [, label = '', operator = '', quoted = ''] = match;
    try {
      const value = JSON.parse(quoted) as string;
      if (operator.endsWith('~')) new RegExp(`^(?:${value})$`, 'su');
      found.push({ label, operator: operator as Matcher['operator'], value });
    } catch {
      return refuse();
    }
  }
  return found.length === 0 ? refuse() : found;
};

/** A line of the log as Prometheus and Alertmanager write it: `time=… level=info msg="poll failed" kind=connect`. */

/** Text that needs no quotes. */
const PLAIN = /^[^\s"=\p{Cc}]+$/u;

const textOf = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return PLAIN.test(text) ? text : JSON.stringify(text);
};

/** Members of objects have the names of both, with a dot. A list of texts is one text, as in the log for people. */
const pairsOf = (fields: object, prefix = ''): readonly string[] =>
  Object.entries(fields).flatMap(([name, value]) => {
    const key = `${prefix}${name.replaceAll(/[\s"=]/g, '_')}`;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return pairsOf(value, `${key}.`);
    const isTexts = Array.isArray(value) && value.every((item) => typeof item !== 'object');
    return `${key}=${textOf(isTexts ? value.join(', ') : value)}`;
  });

/** @param line the fields of a line, with `time`, `level` and `msg` */
export function logfmtOf({ time, level, msg, ...fields }: Readonly<Record<string, unknown>>): string {
  return `${pairsOf({ time, level, msg, ...fields }).join(' ')}\n`;
}

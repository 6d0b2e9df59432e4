/** What a fault does to the records of an answer. The answer stays JSON, with status 200. */
export type RecordChange = (typeof recordChanges)[number];

/**
 * - `unusable`: one record is no record
 * - `unnamed`: one record has no name
 * - `renamed`: all fields begin with a small letter
 * - `field`: one field of each record begins with a small letter
 * - `NaN`, `texts`, `negative`: every number is `NaN`, a hexadecimal text, or -1 where that is no value
 * - `empty`: no records
 * - `foreign`: records of another system
 * - `repeated`: every record is there twice
 */
export const recordChanges = [
  'unusable',
  'unnamed',
  'renamed',
  'field',
  'NaN',
  'texts',
  'negative',
  'empty',
  'foreign',
  'repeated',
] as const;

type Rows = readonly unknown[];

/** The analyzer writes `NaN` for what it does not know, which is no JSON. */
export const parseAnswer = (body: string): unknown => JSON.parse(body.replaceAll(/:NaN\b/g, ':null'));

/** Changes the list of records, which GetFeatures puts into another list. */
function changeRows(answer: unknown, change: (rows: Rows) => Rows): unknown {
  if (!Array.isArray(answer)) return answer;
  return Array.isArray(answer[0]) ? [change(answer[0])] : change(answer);
}

const withoutNames = (row: unknown): unknown => ({
  ...(row as object),
  Product: undefined,
  Feature: undefined,
});

const mustBePositive = /(?<=":)(?<!Expiration":|"Log\w*":)-?\d+(?:\.\d+)?(?=[,}])/g;
const number = /(?<=":)-?\d+(?:\.\d+)?(?=[,}])/g;

function changedText(text: string, change: RecordChange): string {
  const rows = (of: (rows: Rows) => Rows): string => JSON.stringify(changeRows(parseAnswer(text), of));
  switch (change) {
    case 'unusable':
      return rows(([, ...rest]) => ['no record', ...rest]);
    case 'unnamed':
      return rows(([first, ...rest]) => [withoutNames(first), ...rest]);
    case 'renamed':
      return text.replaceAll(/"([A-Z])(\w*":)/g, (_, first: string, rest: string) => `"${first.toLowerCase()}${rest}`);
    case 'field':
      return text.replaceAll(/"(?:InUse|Active)":/g, (name) => name.toLowerCase());
    case 'NaN':
      return text.replaceAll(number, 'NaN');
    case 'texts':
      return text.replaceAll(number, '"0x1F"');
    case 'negative':
      return text.replaceAll(mustBePositive, '-1');
    case 'empty':
      return rows(() => []);
    case 'foreign':
      return rows(() => [{ id: 1, state: 'ok' }]);
    case 'repeated':
      return rows((all) => all.flatMap((row) => [row, row]));
  }
}

/** The body with changed records; an answer without a list, such as a number, stays as it is. */
export function changeRecords(body: Buffer, change: RecordChange): Buffer {
  const text = body.toString('utf8');
  return text.startsWith('[') ? Buffer.from(changedText(text, change)) : body;
}

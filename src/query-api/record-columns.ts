import type { Field, Fields } from './field.ts';
import { modelName } from './records.ts';

/** Names, in the model, of the fields whose values are numbers or flags, and of those whose values are texts. */
export interface RecordColumns {
  readonly numbers: readonly string[];
  readonly texts: readonly string[];
}

const isText = ({ type, metric }: Field): boolean => type === 'text' || metric === 'label';

/** The columns of a table's records. A field that only repeats another one has no column. */
export function columnsOf(fields: Fields): RecordColumns {
  const columns = Object.entries(fields).filter(([, { type }]) => type !== 'date');
  const namesOf = (wanted: boolean): readonly string[] =>
    columns.filter(([, field]) => isText(field) === wanted).map(([name]) => modelName(name));
  return { numbers: namesOf(false), texts: namesOf(true) };
}

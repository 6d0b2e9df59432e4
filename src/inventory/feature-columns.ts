import { RecordReader, type SharedRecords } from './columns/record-store.ts';
import { type SharedTexts, TextReader } from './columns/text-table.ts';
import { featureLabelFields } from './feature-row.ts';

/** One generation of the features, sorted by their labels. The arrays are in shared memory and can be sent to threads. */
interface Rows {
  /** Increases with each derivation. */
  readonly generation: number;
  /** Changes when a row is added or removed, or the labels of a row change. */
  readonly layout: number;
  readonly count: number;
  /** The text ids of the labels: for each name of `featureLabelFields`, one id per row. */
  readonly labels: Uint32Array;
  /** The slot of the record of GetFeatures by row, -1 without one. */
  readonly featureSlots: Int32Array;
  /** The slot of the record of GetExpirationFeatures by row, -1 without one. */
  readonly expirationSlots: Int32Array;
  /** 1 if the usage of the row is withheld. */
  readonly withheld: Uint8Array;
}

/** The features of a generation in memory that every thread can read. */
export interface SharedFeatures extends Rows {
  readonly features: SharedRecords;
  readonly expirations: SharedRecords;
  readonly texts: SharedTexts;
}

/** The features of a generation, with readers for their records and texts. */
export interface FeatureColumns extends Rows {
  readonly features: RecordReader;
  readonly expirations: RecordReader;
  readonly texts: TextReader;
}

/** Reads the features that another thread has sent. */
export const openFeatures = (shared: SharedFeatures): FeatureColumns => ({
  ...shared,
  features: new RecordReader(shared.features),
  expirations: new RecordReader(shared.expirations),
  texts: new TextReader(shared.texts),
});

/** The text id of a label of a row. @param label position in `featureLabelFields` */
export const labelId = ({ labels, count }: FeatureColumns, label: number, row: number): number =>
  labels[label * count + row] as number;

/** Labels of a row. */
export const labelCount = featureLabelFields.length;

import { recordFields } from '../../query-api/records.ts';
import { RecordFields } from './record-fields.ts';

/** The columns of the records of both feature endpoints. */
export const featureRecords = new RecordFields(recordFields.GetFeatures);
/** The columns of GetExpirationFeatures. */
export const expirationRecords = new RecordFields(recordFields.GetExpirationFeatures);

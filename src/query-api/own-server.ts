/**
 * The header `Server` of the analyzer of this program. It leaves out fields that its sources do not know, so that an exporter
 * does not take these for missing.
 */
export const OWN_SERVER = 'license-exporter';

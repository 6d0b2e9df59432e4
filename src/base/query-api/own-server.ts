/**
 * The header by which the analyzer of this program is known: it leaves out fields that its sources do not know, and an exporter
 * must not take these for missing. Not `Server`, which reverse proxies replace.
 */
export const OWN_HEADER = 'x-analyzer';
/** What the embedded analyzer says of itself in the header. */
export const OWN_ANALYZER = 'license-exporter';

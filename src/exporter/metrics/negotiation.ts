/** Content negotiation by `Accept` and `Accept-Encoding` (RFC 9110 section 12.5). */

/** The text formats of Prometheus. */
export type Format = 'text' | 'openmetrics';

export const contentTypes: Readonly<Record<Format, string>> = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
};

interface Preference {
  readonly value: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly quality: number;
}

function parsePreferences(header: string): Preference[] {
  return header.split(',').map((item) => {
    const [value = '', ...rest] = item.split(';').map((piece) => piece.trim());
    const parameters = Object.fromEntries(rest.map((piece) => piece.split('=', 2).map((side) => side.trim())));
    const quality = parameters.q === undefined ? 1 : Number(parameters.q);
    return { value: value.toLowerCase(), parameters, quality: Number.isFinite(quality) ? quality : 0 };
  });
}

/** OpenMetrics if it is preferred to the text format or equally preferred; otherwise the text format. */
export function chooseFormat(accept: string | undefined): Format {
  const preferences = parsePreferences(accept ?? '*/*');
  const best = (fits: (preference: Preference) => boolean): number =>
    Math.max(0, ...preferences.filter(fits).map(({ quality }) => quality));
  const open = best(
    ({ value, parameters }) => value === 'application/openmetrics-text' && (parameters.version ?? '1.0.0') === '1.0.0',
  );
  return open > 0 && open >= best(({ value }) => value === 'text/plain') ? 'openmetrics' : 'text';
}

/** Whether a client takes gzip (RFC 9110 12.5.3). */
export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  const preferences = parsePreferences(acceptEncoding ?? '');
  const explicit = preferences.find(({ value }) => value === 'gzip' || value === 'x-gzip');
  const chosen = explicit ?? preferences.find(({ value }) => value === '*');
  return chosen !== undefined && chosen.quality > 0;
}

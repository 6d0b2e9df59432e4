/** `{ [key]: value }`, or nothing of a value that is not known: its key is optional in an observation. */
export const known = <K extends string, V>(key: K, value: V | undefined): { readonly [key in K]?: V } =>
  (value === undefined ? {} : { [key]: value }) as { readonly [key in K]?: V };

/** What a failed step is about, with the exit code of `doctor`: the table of the documentation. */
export const exitCodes = {
  endpoints: { code: 1, meaning: 'An endpoint gives an answer that the exporter does not accept.' },
  configuration: { code: 2, meaning: 'The configuration is not valid: the daemon would not start.' },
  network: { code: 3, meaning: 'The analyzer cannot be reached: name, TCP, or what answers there over HTTP.' },
  tls: { code: 4, meaning: 'TLS: the scheme of the URL, the authority, name or validity of the certificate.' },
  logon: { code: 5, meaning: 'NTLM: not offered, rejected, or on hold.' },
  local: { code: 6, meaning: 'This host: clock, storage directory, listen address, certificate of the web config.' },
  delivery: { code: 7, meaning: 'Alerts cannot be delivered.' },
  sources: { code: 8, meaning: 'A license manager cannot be read, or not completely.' },
} as const satisfies Record<string, { readonly code: number; readonly meaning: string }>;

/** The kind of mistake that an exit code stands for. */
export type ExitClass = keyof typeof exitCodes;

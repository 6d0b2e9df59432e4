/** Trusted authorities and a client certificate, as PEM. */
export interface TlsContent<Key = string> {
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: Key | undefined;
}

/** Absolute paths of the files that have it. */
export type TlsPaths = Readonly<Partial<Record<keyof TlsContent, string | undefined>>>;

/**
 * TLS of a client: trusted authorities and the client certificate, as PEM.
 *
 * @typeParam Key the private key, as PEM or as a secret
 */
export interface ClientTls<Key = string> extends TlsContent<Key> {
  /** The name in the certificate of the server, where the URL has another one. */
  readonly serverName: string | undefined;
  readonly insecureSkipVerify: boolean;
  readonly files?: TlsPaths;
  /** What the files contain now, where certificates can be renewed. */
  readonly current?: () => TlsContent;
}

/**
 * The options of a connection in Node. What is not set is absent, so that Node's own value is used. They are asked for each
 * connection, because certificates are renewed.
 */
export function tlsOptions(tls: ClientTls) {
  const { ca, cert, key } = tls.current?.() ?? tls;
  const { serverName, insecureSkipVerify } = tls;
  return {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...(serverName !== undefined && { servername: serverName }),
    rejectUnauthorized: !insecureSkipVerify,
  };
}

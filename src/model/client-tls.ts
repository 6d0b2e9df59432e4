/**
 * TLS of a client: trusted authorities and the client certificate, as PEM.
 *
 * @typeParam Key the private key, as PEM or as a secret
 */
export interface ClientTls<Key = string> {
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: Key | undefined;
  /** The name in the certificate of the server, where the URL has another one. */
  readonly serverName: string | undefined;
  readonly insecureSkipVerify: boolean;
}

/** The options of a connection in Node. What is not set is absent, so that Node's own value is used. */
export const tlsOptions = ({ ca, cert, key, serverName, insecureSkipVerify }: ClientTls) => ({
  ...(ca !== undefined && { ca }),
  ...(cert !== undefined && { cert }),
  ...(key !== undefined && { key }),
  ...(serverName !== undefined && { servername: serverName }),
  rejectUnauthorized: !insecureSkipVerify,
});

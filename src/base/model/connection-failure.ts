import { type Explanation, openFileLimits } from './operator-error.ts';

/** Why a server cannot be reached, as sentences for the log of the daemon and for `doctor`. */

/** The server that cannot be reached, in the words of a sentence. */
export interface Peer {
  /** `the analyzer`. */
  readonly name: string;
  /** The setting of its address. */
  readonly url: string;
  /** The settings of its certificates, without the last word. */
  readonly tls: string;
}

/** The analyzer as the other side of a connection, with the settings that name it. */
export const theAnalyzer: Peer = { name: 'the analyzer', url: 'analyzer.url', tls: 'analyzer.tls' };

/** What errors of the system say about the attempt. */
interface Attempt {
  readonly hostname?: unknown;
  readonly address?: unknown;
  readonly port?: unknown;
  readonly errors?: readonly Attempt[];
}

/** `HOST:PORT` of a failed attempt to connect, of the first one if there were several. */
function placeOf({ address, port, errors }: Attempt, peer: Peer): string {
  if (typeof address !== 'string') {
    return errors?.[0] === undefined ? `the address in ${peer.url}` : placeOf(errors[0], peer);
  }
  return typeof port === 'number' ? `${address.includes(':') ? `[${address}]` : address}:${port}` : address;
}

const hostOf = ({ hostname }: Attempt, { url }: Peer): string =>
  typeof hostname === 'string' ? `the host name ${hostname}` : `the host name in ${url}`;

type Sentence = (peer: Peer, attempt: Attempt) => Explanation;

const noRoute: Sentence = (peer, attempt) => ({
  finding: `this host has no route to ${placeOf(attempt, peer)}`,
  remedy: `check the address in ${peer.url}, the routes of this host and the firewall`,
});
const noAnswer: Sentence = (peer, attempt) => ({
  finding: `nothing answers attempts to connect to ${placeOf(attempt, peer)}`,
  remedy: `check the address and the port in ${peer.url}, and whether the host is running; a firewall that drops packets looks the same`,
});
const closed: Sentence = ({ name, url }) => ({
  finding: 'the connection was closed before the answer was complete',
  remedy: `check the log of ${name}, proxies on the way, and whether the port in ${url} is for http or https`,
});
const notAllowed: Sentence = (peer, attempt) => ({
  finding: `this host does not allow connections to ${placeOf(attempt, peer)}`,
  remedy: 'check its firewall and the sandbox of the service',
});

const unreachable: Readonly<Record<string, Sentence>> = {
  ...Object.fromEntries(Object.entries(openFileLimits).map(([code, why]): [string, Sentence] => [code, () => why])),
  ENOTFOUND: (peer, attempt) => ({
    finding: `${hostOf(attempt, peer)} does not exist`,
    remedy: `correct ${peer.url}, or add the name to DNS`,
  }),
  EAI_AGAIN: (peer, attempt) => ({
    finding: `DNS has no answer for ${hostOf(attempt, peer)}`,
    remedy: `check the DNS servers of this host, and the spelling in ${peer.url}`,
  }),
  ECONNREFUSED: (peer, attempt) => ({
    finding: `nothing listens on ${placeOf(attempt, peer)}`,
    remedy: `start ${peer.name} there, or correct host and port in ${peer.url}`,
  }),
  EHOSTUNREACH: noRoute,
  ENETUNREACH: noRoute,
  EADDRNOTAVAIL: noRoute,
  ETIMEDOUT: noAnswer,
  UND_ERR_CONNECT_TIMEOUT: noAnswer,
  EACCES: notAllowed,
  EPERM: notAllowed,
  ECONNRESET: closed,
  EPIPE: closed,
  UND_ERR_SOCKET: closed,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: ({ name }) => ({
    finding: `an answer of ${name} announces two lengths, or ends before the one that it announces`,
    remedy: `check the log of ${name} and proxies on the way`,
  }),
};

const unknownIssuer: Sentence = ({ name, tls }) => ({
  finding: `no trusted authority has signed the certificate of ${name}`,
  remedy: `set ${tls}.ca_file to the certificate of its authority; if that is set, let ${name} send its intermediate certificates too`,
});
const withoutTls: Sentence = ({ name, url }) => ({
  finding: `${name} does not speak TLS on this port, but ${url} begins with https://`,
  remedy: `write http:// in ${url}, or the port that speaks TLS`,
});
const clientCertificate: Sentence = ({ name, tls }) => ({
  finding: `${name} requires a client certificate, and did not get one that it accepts`,
  remedy: `set ${tls}.cert_file and ${tls}.key_file to a certificate that it trusts`,
});
const noCommonVersion: Sentence = ({ name }) => ({
  finding: `${name} and license-exporter have no version or cipher of TLS in common`,
  remedy: `enable TLS 1.2 or 1.3 on ${name}`,
});

const insecure: Readonly<Record<string, Sentence>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: ({ name, tls }) => ({
    finding: `the certificate of ${name} is self-signed`,
    remedy: `set ${tls}.ca_file to this certificate (if it is set, it has another one), or give ${name} one of an authority`,
  }),
  SELF_SIGNED_CERT_IN_CHAIN: unknownIssuer,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownIssuer,
  UNABLE_TO_GET_ISSUER_CERT: unknownIssuer,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownIssuer,
  CERT_HAS_EXPIRED: ({ name }) => ({
    finding: `the certificate of ${name} has expired`,
    remedy: `renew it; if it is valid, check the clock of this host`,
  }),
  CERT_NOT_YET_VALID: () => ({
    finding: 'the certificate is not valid yet',
    remedy: 'check the clocks of both hosts',
  }),
  ERR_TLS_CERT_ALTNAME_INVALID: ({ name, url, tls }) => ({
    finding: `the certificate of ${name} is for another name`,
    remedy: `use a name of the certificate in ${url}, or set ${tls}.server_name to it`,
  }),
  ERR_SSL_WRONG_VERSION_NUMBER: withoutTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: withoutTls,
  ERR_SSL_HTTP_REQUEST: withoutTls,
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: clientCertificate,
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: clientCertificate,
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: clientCertificate,
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: clientCertificate,
  ERR_SSL_UNSUPPORTED_PROTOCOL: noCommonVersion,
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: noCommonVersion,
};

const handshakeFailed: Sentence = ({ name, tls }) => ({
  finding: `the TLS connection to ${name} could not be established`,
  remedy: `check the certificates of both sides (${tls}) and their versions of TLS`,
});

const badLength: Sentence = ({ name }) => ({
  finding: `an answer of ${name} has a Content-Length that is no number, or that contradicts another header`,
  remedy: `check ${name} and proxies on the way: one of them adds or changes the header`,
});

const notHttp: Sentence = ({ name, url }) => ({
  finding: `what ${name} sends is not HTTP/1.1`,
  remedy: `check the port in ${url}, and whether it is for http or https`,
});

const BAD_LENGTHS: ReadonlySet<string> = new Set(['HPE_UNEXPECTED_CONTENT_LENGTH', 'HPE_INVALID_CONTENT_LENGTH']);

function sentenceOf(code: string): Sentence | undefined {
  const known = unreachable[code] ?? insecure[code];
  if (known !== undefined || isTlsCode(code)) return known ?? handshakeFailed;
  if (!code.startsWith('HPE_')) return undefined;
  return BAD_LENGTHS.has(code) ? badLength : notHttp;
}

/** The codes that have an explanation of their own. */
export const connectionCodes: readonly string[] = [...Object.keys(unreachable), ...Object.keys(insecure)];

/** Whether a code is one of a TLS handshake. */
export const isTlsCode = (code: string): boolean =>
  insecure[code] !== undefined || /^(EPROTO|HOSTNAME_MISMATCH|ERR_TLS|ERR_SSL|CERT_|CRL_)/.test(code);

/**
 * Explains why there is no connection to a server.
 *
 * @param code of the error; that of a timeout is a number, which says nothing
 * @param error may have the host name or the address of the attempt
 * @returns `undefined` for a code that says nothing about connections
 */
export function explainConnection(code: unknown, error: unknown, peer: Peer): Explanation | undefined {
  if (typeof code !== 'string') return undefined;
  const sentence = sentenceOf(code);
  if (sentence === undefined) return undefined;
  const { finding, remedy } = sentence(peer, (error ?? {}) as Attempt);
  return { finding: `${finding} (${code})`, remedy };
}

/** The explanation for an error whose code says nothing. */
export function explainUnknown(code: string | undefined, peer: Peer): Explanation {
  const { finding, remedy } = closed(peer, {});
  return { finding: code === undefined ? finding : `${finding} (${code})`, remedy };
}

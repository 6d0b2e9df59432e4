import { isIP } from 'node:net';
import { connect, type DetailedPeerCertificate, type TLSSocket } from 'node:tls';
import { tlsOptions } from '../../base/model/client-tls.ts';
import { explainConnection, explainUnknown, isTlsCode, theAnalyzer } from '../../base/model/connection-failure.ts';
import type { Explanation } from '../../base/model/operator-error.ts';
import type { AnalyzerConfig } from '../../base/settings/analyzer.ts';
import { revealTls } from '../../base/settings/secret.ts';
import { countText } from '../../base/texts.ts';
import { askOnce, endpointUrl } from './first-answer.ts';
import { attemptMs, hostOf, portOf, withinLimit } from './network-steps.ts';
import type { AnalyzerSite } from './site.ts';
import { bad, type Evidence, explained, good, type Outcome, stepToAnalyzer, warning } from './step.ts';

/** When certificates end. Times are epoch milliseconds. */

const DAY_MS = 86_400_000;
/** A certificate that ends sooner should have been renewed, days. */
const SOON_DAYS = 14;

/** `2026-12-31`, in UTC. @param time epoch milliseconds */
export const dateOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** `expires on DAY, in N days`, if that is soon. */
export function soonText(end: number): string | undefined {
  const left = Math.floor((end - Date.now()) / DAY_MS);
  return left < SOON_DAYS ? `expires on ${dateOf(end)}, in ${countText(left, 'day')}` : undefined;
}

/** What a handshake has shown. A peer can close the connection directly after it. */
interface Handshake {
  readonly certificate: DetailedPeerCertificate;
  /** Why the certificate is not accepted; `null` if it is. */
  readonly refusalCode: string | null;
  readonly version: string;
}

const readHandshake = (socket: TLSSocket): Handshake => ({
  certificate: socket.getPeerCertificate(true),
  // node's type is wrong: it is a code
  refusalCode: socket.authorizationError as unknown as string | null,
  version: socket.getProtocol() ?? 'TLS',
});

/** Does not refuse any certificate. @throws Error with a code */
async function shakeHands(analyzer: AnalyzerConfig): Promise<Handshake> {
  const host = hostOf(analyzer.url);
  const socket = connect({
    host,
    port: portOf(analyzer.url),
    // an address is no server name
    ...(isIP(host) === 0 && { servername: host }),
    ...tlsOptions(revealTls(analyzer.tls)),
    rejectUnauthorized: false,
  });
  const secured = new Promise<Handshake>((resolve, reject) => {
    socket.once('secureConnect', () => resolve(readHandshake(socket)));
    socket.on('error', reject);
    socket.once('close', () => reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' })));
  });
  try {
    return await withinLimit(secured, attemptMs(analyzer), 'ETIMEDOUT');
  } finally {
    socket.destroy();
  }
}

/** Names for which a certificate is valid. */
const namesOf = ({ subjectaltname, subject }: DetailedPeerCertificate): string =>
  (subjectaltname ?? `CN=${subject?.CN}`).replaceAll('DNS:', '').replaceAll('IP Address:', '').slice(0, 200);

/** Why the certificate is not accepted, with what it says about itself. */
function refusal(code: string, certificate: DetailedPeerCertificate): Outcome {
  const why = explainConnection(code, undefined, theAnalyzer) ?? explainUnknown(code, theAnalyzer);
  const { issuer, valid_to: validTo } = certificate;
  const details: Readonly<Record<string, string>> = {
    ERR_TLS_CERT_ALTNAME_INVALID: `: it is for ${namesOf(certificate)}`,
    CERT_HAS_EXPIRED: `: it was valid until ${dateOf(Date.parse(validTo))}`,
  };
  const signedBy = `: it was issued by ${issuer?.CN ?? issuer?.O ?? 'an unnamed authority'}`;
  return bad(`${why.finding}${details[code] ?? signedBy}`, why.remedy);
}

function accepted({ certificate, version }: Handshake, { tls }: AnalyzerConfig): Outcome {
  const end = Date.parse(certificate.valid_to);
  if (tls.insecureSkipVerify) {
    return warning(
      `${version}, but the certificate is not verified: analyzer.tls.insecure_skip_verify is set`,
      'set analyzer.tls.ca_file instead; without verification, a host in between can use the logon',
    );
  }
  const soon = soonText(end);
  if (soon !== undefined) return warning(`${version}, but the certificate of the analyzer ${soon}`, 'renew it');
  return good(`${version}, certificate for ${namesOf(certificate)}, valid until ${dateOf(end)}`);
}

const messageOf = (error: unknown): Explanation => {
  const { code } = error as NodeJS.ErrnoException;
  return explainConnection(code, error, theAnalyzer) ?? explainUnknown(code, theAnalyzer);
};

async function checkHttps({ analyzer, version }: AnalyzerSite, evidence: Evidence): Promise<Outcome> {
  let handshake: Handshake;
  try {
    handshake = await shakeHands(analyzer);
  } catch (error) {
    return explained(messageOf(error));
  }
  const { refusalCode, certificate } = handshake;
  if (refusalCode !== null && !analyzer.tls.insecureSkipVerify) return refusal(refusalCode, certificate);
  // with TLS 1.3, only an answer shows whether the server accepts the certificate of the client
  const failure = await askOnce(endpointUrl(analyzer.url, 'GetHttpUserName'), { analyzer, version }).then(
    (answer) => {
      evidence.firstAnswer = answer;
      return undefined;
    },
    (error: NodeJS.ErrnoException) => error,
  );
  return failure !== undefined && isTlsCode(failure.code ?? '')
    ? explained(messageOf(failure))
    : accepted(handshake, analyzer);
}

/** Whether the server speaks TLS although the URL begins with http. */
async function checkHttp({ analyzer, version }: AnalyzerSite, evidence: Evidence): Promise<Outcome> {
  const answer = await askOnce(endpointUrl(analyzer.url, 'GetHttpUserName'), { analyzer, version }).catch(
    () => undefined,
  );
  if (answer !== undefined) evidence.firstAnswer = answer;
  // some servers answer a request without TLS with 400, others close the connection
  const isStrange = answer === undefined || answer.status === 400;
  const secured = isStrange ? await shakeHands(analyzer).catch(() => undefined) : undefined;
  if (secured === undefined) return good('none, the URL begins with http://');
  const url = new URL(analyzer.url);
  return bad(
    `${theAnalyzer.name} speaks TLS on port ${portOf(analyzer.url)}, but analyzer.url begins with http://`,
    `set analyzer.url to https://${url.hostname}:${portOf(analyzer.url)}${url.pathname}`,
  );
}

/** Whether scheme, authority, name and validity of the certificate are right. */
export const tlsStep = stepToAnalyzer({
  name: 'TLS',
  exit: 'tls',
  needs: ['TCP'],
  applies: ({ kind }) => kind === 'remote',
  check: (site, evidence) => (site.analyzer.url.startsWith('https:') ? checkHttps : checkHttp)(site, evidence),
});

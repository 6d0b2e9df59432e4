import { tlsOptions } from '../../base/model/client-tls.ts';
import type { QueryError } from '../../base/model/failure.ts';
import type { Explanation } from '../../base/model/operator-error.ts';
import { readChallengeFacts } from '../../base/ntlm/challenges.ts';
import type { AnalyzerConfig } from '../../base/settings/analyzer.ts';
import { revealTls } from '../../base/settings/secret.ts';
import { probeChallenge } from '../../exporter/client/challenge-probe.ts';
import { toQueryError } from '../../exporter/client/failures.ts';
import { logonPathOf } from '../../exporter/client/transport.ts';
import { hasNames } from '../config/effects/named-settings.ts';
import { skewProblem } from './clock-step.ts';
import { askByHttp, diagnose } from './endpoint-diagnosis.ts';
import { isElsewhere } from './endpoints-step.ts';
import { planOf } from './examination.ts';
import { attemptMs } from './network-steps.ts';
import type { AnalyzerSite } from './site.ts';
import { bad, type Evidence, explained, good, type Outcome, stepToAnalyzer, warning } from './step.ts';

/** The logon: is NTLM offered, is the challenge usable, and are the credentials accepted? Only the last question is a logon. */

/** Asks for a challenge, which no account counts. Returns what is wrong with it. */
async function checkChallenge({ analyzer }: AnalyzerSite, evidence: Evidence): Promise<Outcome | 'open' | undefined> {
  const probed = await probeChallenge({
    origin: new URL(analyzer.url).origin,
    logonPath: logonPathOf(analyzer.url),
    headersTimeout: attemptMs(analyzer),
    connectTimeout: attemptMs(analyzer),
    tls: () => tlsOptions(revealTls(analyzer.tls)),
  });
  if (probed.is === 'failed') return explained(toQueryError(probed.error));
  if (probed.is === 'open') return 'open';
  try {
    evidence.challenge = readChallengeFacts(probed.message);
  } catch {
    return bad(
      'the challenge of the server is malformed',
      'check that analyzer.url leads to the analyzer, and that no proxy changes WWW-Authenticate headers',
    );
  }
  const { time } = evidence.challenge;
  if (time !== undefined) evidence.clockAhead = (time - Date.now()) / 1000;
  return undefined;
}

/** A password that was probably not saved as it is meant. */
function passwordHint({ password, passwordFile = 'the environment' }: AnalyzerConfig): Explanation | undefined {
  const text = password.reveal();
  if (text.includes('\0') || text.startsWith('\ufffd')) {
    return { finding: `the password in ${passwordFile} is UTF-16`, remedy: 'save the file as UTF-8' };
  }
  if (text.startsWith('\ufeff')) {
    return { finding: `${passwordFile} begins with a byte order mark`, remedy: 'save the file as UTF-8 without it' };
  }
  if (!/^\s|\s$/.test(text)) return undefined;
  return {
    finding: `the password in ${passwordFile} begins or ends with white space`,
    remedy: 'remove white space and empty lines that do not belong to the password',
  };
}

/** What probably made the server reject the credentials, from the most certain on. */
function hintsOn({ analyzer }: AnalyzerSite, { challenge, clockAhead = 0 }: Evidence): readonly Explanation[] {
  const { domain: ours } = analyzer;
  const theirs = challenge?.domain ?? '';
  const named = theirs === '' ? '' : `: the analyzer names the domain ${theirs}`;
  const domain: Explanation = {
    finding: 'no domain is set',
    remedy: `set analyzer.domain, or write DOMAIN\\name in analyzer.username${named}`,
  };
  return [skewProblem(clockAhead) ?? [], passwordHint(analyzer) ?? [], ours === '' ? domain : []].flat();
}

/** Whether the earlier logons were neither accepted nor rejected, so that nothing is known about the account. */
const isWithoutVerdict = ({ code, message }: QueryError): boolean =>
  code === 'NTLM_PATH_UNCHECKED' ||
  code === 'NTLM_LOGON_NOT_KEPT' ||
  (code === 'NTLM_CREDENTIALS_SUSPENDED' && message.includes('got no verdict'));

function rejection(site: AnalyzerSite, evidence: Evidence, error: QueryError): Outcome {
  if (isWithoutVerdict(error)) {
    return bad(
      error.finding,
      'wait until then and run it again; meanwhile, check the log of the analyzer and of proxies',
    );
  }
  const hints = hintsOn(site, evidence);
  const [first] = hints;
  const isPlain = error.code === 'NTLM_CREDENTIALS_REJECTED' && first !== undefined;
  const finding = isPlain
    ? `the analyzer rejected the logon, and ${hints.map((hint) => hint.finding).join(', and ')}`
    : error.finding;
  const { domain } = site.analyzer;
  const theirs = evidence.challenge?.domain ?? '';
  const otherDomain = domain !== '' && theirs !== '' && theirs.toLowerCase() !== domain.toLowerCase();
  return bad(
    finding,
    ...(error.remedy === undefined ? [] : [error.remedy]),
    ...hints.map((hint) => hint.remedy),
    ...(otherDomain ? [`check analyzer.domain: it is ${domain}, and the analyzer names the domain ${theirs}`] : []),
    'check analyzer.username and the password, and whether the account is locked; a correction is tried at once if the account has a logon left, these credentials not before the hold is over',
  );
}

const LOGON_FILE_REMEDY =
  'a daemon that runs counts logons in memory meanwhile, sets a damaged file aside when it starts, and uses the file again when it can';

const accountKinds = new Set(['auth', 'auth_suspended']);

/** Logs on, and calls the endpoints in the same session. */
async function checkLogon(site: AnalyzerSite, evidence: Evidence, isOpen: boolean): Promise<Outcome> {
  const { analyzer, config } = site;
  const { url, absentFields } = analyzer;
  const plan = planOf(config, true);
  const wantsNames = hasNames(config);
  const diagnosis = await diagnose({ plan, analyzer: url, absentFields, wantsNames, ask: askByHttp(site) });
  evidence.diagnosis = diagnosis;
  const { logonFailure, logonFileProblem, identity } = diagnosis;
  if (logonFileProblem !== undefined) return { ...bad(logonFileProblem, LOGON_FILE_REMEDY), exit: 'local' };
  if (logonFailure !== undefined) {
    return accountKinds.has(logonFailure.kind) ? rejection(site, evidence, logonFailure) : explained(logonFailure);
  }
  if (isOpen) {
    return warning(
      'the analyzer requires no logon',
      'any client can read it; enable Windows authentication (NTLM) there',
    );
  }
  if (isElsewhere(diagnosis.endpoints)) {
    return warning(
      'not rejected, but the path of analyzer.url is not that of the API',
      'correct analyzer.url first: another application may have answered',
    );
  }
  return good(identity === undefined ? 'accepted' : `accepted as ${identity}`);
}

/** Whether the analyzer accepts the logon. The endpoints are called in the same session. */
export const logonStep = stepToAnalyzer({
  name: 'logon',
  exit: 'logon',
  needs: ['HTTP'],
  applies: () => true,
  check: async (site, evidence) => {
    const problem = site.kind === 'remote' ? await checkChallenge(site, evidence) : undefined;
    if (problem !== undefined && problem !== 'open') return problem;
    return checkLogon(site, evidence, problem === 'open');
  },
});

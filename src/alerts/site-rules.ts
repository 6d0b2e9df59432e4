import type { PollState } from '../inventory/poll-state.ts';
import type { Finding } from './alert.ts';
import { createRule, humanDuration, type RuleFactory } from './rule.ts';
import type { Durations } from './rule-settings.ts';

/** Rules about vendor licenses as a whole, and about polling the analyzer. */

interface ServerDownParameters extends Durations {
  /** A MappingIcon of GetProducts that also means that the server is down. */
  readonly iconPattern: RegExp | undefined;
}

export const createServerDown: RuleFactory<ServerDownParameters> = (name, settings) =>
  createRule({
    name,
    severity: 'critical',
    settings,
    evaluate: ({ inventory: { vendorLicenses, knowledge } }, { parametersOf, finding }) => {
      const unknown = new Set<string>();
      const findings = [...vendorLicenses].flatMap(({ vendorLicense, up, downQualifiers, mappingIcon }): Finding[] => {
        const { enabled, iconPattern } = parametersOf({ vendorLicense });
        if (!enabled) return [];
        const isDownByIcon =
          iconPattern !== undefined && (mappingIcon === undefined ? undefined : iconPattern.test(mappingIcon));
        if (up !== false && isDownByIcon !== true) {
          if (up === undefined || isDownByIcon === undefined) unknown.add(vendorLicense);
          return [];
        }
        const qualifiers = downQualifiers.filter((qualifier) => qualifier !== '');
        const parts = qualifiers.length === 0 ? '' : ` (${qualifiers.join(', ')})`;
        const annotations = {
          summary: `License server ${vendorLicense} is down.`,
          description: `The analyzer has received no data from ${vendorLicense}${parts} for at least 30 minutes. Users cannot check out its licenses while it is down. Check the license server and its vendor daemon.`,
        };
        return [finding({ vendor_license: vendorLicense }, annotations)];
      });
      const hasNoData = !knowledge.serverDown;
      return { findings, isUnknown: ({ vendor_license = '' }) => hasNoData || unknown.has(vendor_license), hasNoData };
    },
  });

interface CollectionStaleParameters extends Durations {
  /** Seconds. */
  readonly maxAge: number;
}

export const createCollectionStale: RuleFactory<CollectionStaleParameters> = (name, settings) =>
  createRule({
    name,
    severity: 'warning',
    settings,
    evaluate: ({ now, inventory: { vendorLicenses, knowledge } }, { parametersOf, finding }) => {
      const unknown = new Set<string>();
      const findings = [...vendorLicenses].flatMap(({ vendorLicense, up, collectionTime }): Finding[] => {
        const { enabled, maxAge } = parametersOf({ vendorLicense });
        if (!enabled || up === false) return [];
        if (collectionTime === undefined) {
          unknown.add(vendorLicense);
          return [];
        }
        const age = now - collectionTime;
        if (up === undefined || age <= maxAge) return [];
        const annotations = {
          summary: `Data of ${vendorLicense} is ${humanDuration(age)} old.`,
          description: `The server is not reported down, but its last collection is ${humanDuration(age)} old. Check the collector of the analyzer for this server.`,
        };
        return [finding({ vendor_license: vendorLicense }, annotations, age)];
      });
      const hasNoData = !knowledge.products || !knowledge.serverDown;
      return { findings, isUnknown: ({ vendor_license = '' }) => hasNoData || unknown.has(vendor_license), hasNoData };
    },
  });

/** Whether the endpoint has been polled, with any result. Before that, its state is unknown. */
const isTried = ({ lastAttempt }: PollState): boolean => lastAttempt !== undefined;

export const createAnalyzerUnreachable: RuleFactory<Durations> = (name, settings) =>
  createRule({
    name,
    severity: 'critical',
    settings,
    evaluate: ({ inventory: { polls } }, { finding }) => {
      const failing = polls.filter((poll) => isTried(poll) && !poll.answered).map(({ endpoint }) => endpoint);
      const isUnknown = failing.length === 0 && (polls.length === 0 || !polls.every(isTried));
      const annotations = {
        summary: 'The license analyzer cannot be polled.',
        description: `No good answer from ${failing.join(', ')}. Until the analyzer answers, there is no new data about any license server. Check the analyzer and the network path to it. "license-exporter doctor" shows what each endpoint answers.`,
      };
      const findings = failing.length === 0 ? [] : [finding({}, annotations)];
      return { findings, isUnknown: () => isUnknown, hasNoData: isUnknown };
    },
  });

export const createAuthFailing: RuleFactory<Durations> = (name, settings) =>
  createRule({
    name,
    severity: 'critical',
    settings,
    evaluate: ({ authenticated }, { finding }) => {
      const annotations = {
        summary: 'The license analyzer rejects the logon.',
        description:
          'The password is wrong or has expired, the account is locked, or a reverse proxy does not keep one connection for each client. Correct the credentials or the proxy. To keep the account from being locked, polling stops until the credentials change or the next logon is due.',
      };
      const isUnknown = authenticated === undefined;
      const findings = authenticated === false ? [finding({}, annotations)] : [];
      return { findings, isUnknown: () => isUnknown, hasNoData: isUnknown };
    },
  });

export const createPollPartial: RuleFactory<Durations> = (name, settings) =>
  createRule({
    name,
    severity: 'warning',
    settings,
    evaluate: ({ inventory: { polls, up } }, { finding }) => {
      const findings = polls
        .filter((poll) => isTried(poll) && !poll.success && up)
        .map(({ endpoint }) =>
          finding(
            { endpoint },
            {
              summary: `Only a part of ${endpoint} can be polled.`,
              description:
                'At least one vendor license cannot be polled despite retries. Its last good data ages out. The log names the vendor license and the reason.',
            },
          ),
        );
      // `up` is unknown until all of them have been polled
      const isUnknown = !polls.every(isTried);
      return { findings, isUnknown: () => isUnknown, hasNoData: isUnknown };
    },
  });

interface RecordsDiscardedParameters extends Durations {
  /** A ratio, 0 to 1. */
  readonly share: number;
}

export const createRecordsDiscarded: RuleFactory<RecordsDiscardedParameters> = (name, settings) =>
  createRule({
    name,
    severity: 'warning',
    settings,
    evaluate: ({ inventory: { polls } }, { finding }) => {
      const shares = polls.map(({ endpoint, records, discarded: { bad_record: bad } }) => ({
        endpoint,
        // NaN without records: no comparison is true
        share: bad / (bad + records),
      }));
      const findings = shares
        .filter(({ share }) => share > settings.base.share)
        .map(({ endpoint, share }) =>
          finding(
            { endpoint },
            {
              summary: `${(share * 100).toPrecision(3)} % of the records of ${endpoint} are discarded.`,
              description:
                'These records are not objects or have no name. Vendor licenses or features are missing from the metrics. Run "license-exporter doctor" to compare the answers with the specification.',
            },
            share,
          ),
        );
      /** Whether its records are unknown: there is no good answer, not even an earlier one. */
      const isUnread = (poll: PollState): boolean => !poll.answered && poll.records + poll.discarded.bad_record === 0;
      return {
        findings,
        isUnknown: (labels) => polls.some((poll) => poll.endpoint === labels.endpoint && isUnread(poll)),
        hasNoData: !polls.every(isTried),
      };
    },
  });

import type { PollState } from '../inventory/poll-state.ts';
import type { Labels } from './alert.ts';
import { aboutSite, createRule, type RuleFactory } from './rule.ts';
import type { Durations } from './rule-settings.ts';

/** Rules about polling the analyzer. */

/** Whether the endpoint has been polled, with any result. Before that, its state is unknown. */
const isTried = ({ lastAttempt }: PollState): boolean => lastAttempt !== undefined;

/** An analyzer without vendor licenses: all that is monitored has gone, which no other alert is about. */
export const createProductsEmpty: RuleFactory<Durations> = (name, settings) =>
  createRule({
    name,
    severity: 'critical',
    settings,
    threshold: 'none',
    evaluate: ({ inventory: { polls } }, { finding }) => {
      const poll = polls.find(({ endpoint }) => endpoint === 'GetProducts');
      // a poll that fails keeps the number of records of the last good one
      const isUnknown = poll === undefined || !isTried(poll) || !poll.success;
      const annotations = {
        summary: 'The license analyzer reports no vendor license.',
        description:
          'GetProducts answers with an empty list: no license server is monitored. Check whether the analyzer has lost its configuration, and whether the account may see the vendor licenses.',
      };
      const findings = isUnknown || poll.records > 0 ? [] : [finding({}, annotations)];
      return { findings, isUnknown: () => isUnknown, unknownAbout: aboutSite(isUnknown), hasNoData: isUnknown };
    },
  });

export const createAnalyzerUnreachable: RuleFactory<Durations> = (name, settings) =>
  createRule({
    name,
    severity: 'critical',
    settings,
    threshold: 'none',
    evaluate: ({ inventory: { polls }, authenticated }, { finding }) => {
      // an analyzer that rejects the logon can be reached
      const isFailing = (poll: PollState): boolean => isTried(poll) && !poll.answered && authenticated !== false;
      const failing = polls.filter(isFailing).map(({ endpoint }) => endpoint);
      const isUnknown =
        authenticated !== false && failing.length === 0 && (polls.length === 0 || !polls.every(isTried));
      const annotations = {
        summary: 'The license analyzer cannot be polled.',
        description: `No good answer from ${failing.join(', ')}. Until the analyzer answers, there is no new data about any license server. Check the analyzer and the network path to it. "license-exporter doctor" shows what each endpoint answers.`,
      };
      const findings = failing.length === 0 ? [] : [finding({}, annotations)];
      return { findings, isUnknown: () => isUnknown, unknownAbout: aboutSite(isUnknown), hasNoData: isUnknown };
    },
  });

export const createAuthFailing: RuleFactory<Durations> = (name, settings) =>
  createRule({
    name,
    severity: 'critical',
    settings,
    threshold: 'none',
    evaluate: ({ authenticated }, { finding }) => {
      const annotations = {
        summary: 'The license analyzer rejects the logon.',
        description:
          'The password is wrong or has expired, the account is locked, or a reverse proxy does not keep one connection for each client. Correct the credentials or the proxy. To keep the account from being locked, polling stops until the credentials change or the next logon is due.',
      };
      const isUnknown = authenticated === undefined;
      const findings = authenticated === false ? [finding({}, annotations)] : [];
      return { findings, isUnknown: () => isUnknown, unknownAbout: aboutSite(isUnknown), hasNoData: isUnknown };
    },
  });

export const createPollPartial: RuleFactory<Durations> = (name, settings) =>
  createRule({
    name,
    severity: 'warning',
    settings,
    threshold: 'none',
    evaluate: ({ inventory: { polls, up } }, { finding }) => {
      const findings = polls
        .filter((poll) => isTried(poll) && (!poll.success || poll.isIncomplete) && up)
        .map(({ endpoint }) =>
          finding(
            { endpoint },
            {
              summary: `Only a part of ${endpoint} can be polled.`,
              description:
                'At least one vendor license cannot be polled despite retries and its last good data ages out, or a list has unusable records and what it lacks is not known. The log names the vendor license and the reason; license_poll_incomplete is 1 for a list.',
            },
          ),
        );
      // `up` is unknown until all of them have been polled
      const isUnknown = !polls.every(isTried);
      return { findings, isUnknown: () => isUnknown, unknownAbout: aboutSite(isUnknown), hasNoData: isUnknown };
    },
  });

export const createFieldMissing: RuleFactory<Durations> = (name, settings) =>
  createRule({
    name,
    severity: 'warning',
    settings,
    threshold: 'none',
    evaluate: ({ inventory: { fields, polls } }, { finding }) => {
      const findings = fields.list
        .filter(({ missing }) => missing.length > 0)
        .map(({ endpoint, field, missing, expected }) =>
          finding(
            { endpoint, field },
            {
              summary: `The field ${field} of ${endpoint} is missing.`,
              description: `No record of ${missing.length} of ${expected.length} vendor licenses has it now. What it says is not known. Alerts about this data do not end, and begin only where the values that they compare are there. Check whether the analyzer was updated, or a proxy changes its answers. If the analyzer does not have this field, add ${endpoint}.${field} to analyzer.absent_fields.`,
            },
          ),
        );
      const isKnown = (labels: Labels): boolean =>
        fields.list.some(({ endpoint, field }) => endpoint === labels.endpoint && field === labels.field) ||
        polls.some(({ endpoint, success }) => endpoint === labels.endpoint && success);
      return {
        findings,
        isUnknown: (labels) => !isKnown(labels),
        unknownAbout: aboutSite(polls.some(({ success }) => !success)),
        hasNoData: fields.list.length === 0,
      };
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
    threshold: ({ share }) => share,
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
        unknownAbout: aboutSite(polls.some((poll) => !isTried(poll) || isUnread(poll))),
        hasNoData: !polls.every(isTried),
      };
    },
  });

import type { PollState } from '../inventory/poll-state.ts';
import { type Finding, type Labels, raised } from './alert.ts';
import { humanDuration, type Rule } from './rule.ts';
import {
  type Adjustable,
  createLookup,
  type Durations,
  type EngineRuleName,
  type RuleSettings,
} from './rule-settings.ts';

/** Rules about vendor licenses as a whole, and about the way to the analyzer. */

const ofVendorLicense = (name: EngineRuleName, severity: string, vendorLicense: string): Labels => ({
  alertname: name,
  severity,
  vendor_license: vendorLicense,
});

export function createServerDown(settings: RuleSettings['LicenseServerDown']): Rule {
  const lookup = createLookup(settings);
  return {
    id: 'LicenseServerDown/critical',
    name: 'LicenseServerDown',
    severity: 'critical',
    parameters: settings.base,
    durations: ({ vendor_license = '' }) => lookup(vendor_license, ''),
    judge: ({ inventory: { vendorLicenses, knowledge } }) => ({
      findings: [...vendorLicenses].flatMap(({ vendorLicense, up, downQualifiers, mappingIcon = '' }): Finding[] => {
        const { enabled, iconPattern } = lookup(vendorLicense, '');
        const isDown = up === false || iconPattern?.test(mappingIcon) === true;
        if (!enabled || !isDown) return [];
        const qualifiers = downQualifiers.filter((qualifier) => qualifier !== '');
        const parts = qualifiers.length === 0 ? '' : ` (${qualifiers.join(', ')})`;
        const annotations = {
          summary: `License server ${vendorLicense} is down.`,
          description: `The analyzer received no data from ${vendorLicense}${parts} for at least 30 minutes. Check the license server and its vendor daemon; nobody can check out its licenses while it is down.`,
        };
        return [raised(ofVendorLicense('LicenseServerDown', 'critical', vendorLicense), annotations)];
      }),
      isUnknown: () => !knowledge.serverDown,
      isBlind: !knowledge.serverDown,
    }),
  };
}

export function createCollectionStale(settings: RuleSettings['LicenseCollectionStale']): Rule {
  const lookup = createLookup(settings);
  return {
    id: 'LicenseCollectionStale/warning',
    name: 'LicenseCollectionStale',
    severity: 'warning',
    parameters: settings.base,
    durations: ({ vendor_license = '' }) => lookup(vendor_license, ''),
    judge: ({ now, inventory: { vendorLicenses, knowledge } }) => {
      const unknown = new Set<string>();
      const findings = [...vendorLicenses].flatMap(({ vendorLicense, up, collectionTime }): Finding[] => {
        const { enabled, maxAge } = lookup(vendorLicense, '');
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
        return [raised(ofVendorLicense('LicenseCollectionStale', 'warning', vendorLicense), annotations, age)];
      });
      const isBlind = !knowledge.products || !knowledge.serverDown;
      return { findings, isUnknown: ({ vendor_license = '' }) => isBlind || unknown.has(vendor_license), isBlind };
    },
  };
}

/** Whether an attempt at the endpoint has ended; before that it counts as failing, but nothing is known. */
const isTried = ({ lastAttempt }: PollState): boolean => lastAttempt !== undefined;

export function createAnalyzerUnreachable({ base }: Adjustable<Durations>): Rule {
  return {
    id: 'LicenseAnalyzerUnreachable/critical',
    name: 'LicenseAnalyzerUnreachable',
    severity: 'critical',
    parameters: base,
    durations: () => base,
    judge: ({ inventory: { polls } }) => {
      const failing = polls.filter((poll) => isTried(poll) && !poll.answered).map(({ endpoint }) => endpoint);
      const isUnknown = polls.length === 0 || polls.some((poll) => !isTried(poll));
      if (failing.length === 0) return { findings: [], isUnknown: () => isUnknown, isBlind: isUnknown };
      const finding = raised(
        { alertname: 'LicenseAnalyzerUnreachable', severity: 'critical' },
        {
          summary: 'The license analyzer cannot be polled.',
          description: `No good answer from ${failing.join(', ')}. Until it answers again nothing new is known of any license server. Check the analyzer and the way to it; "license-exporter doctor" tells what each endpoint answers.`,
        },
      );
      return { findings: [finding], isUnknown: () => false, isBlind: false };
    },
  };
}

export function createAuthFailing({ base }: Adjustable<Durations>): Rule {
  return {
    id: 'LicenseAnalyzerAuthFailing/critical',
    name: 'LicenseAnalyzerAuthFailing',
    severity: 'critical',
    parameters: base,
    durations: () => base,
    judge: ({ authenticated }) => {
      const finding = raised(
        { alertname: 'LicenseAnalyzerAuthFailing', severity: 'critical' },
        {
          summary: 'The license analyzer rejects the logon.',
          description:
            'The password is wrong or has expired, the account is locked, or a reverse proxy in between does not keep one connection for each client. Nothing is polled until the next logon may be sent or the credentials change, so that the account is not locked.',
        },
      );
      const isUnknown = authenticated === undefined;
      return { findings: authenticated === false ? [finding] : [], isUnknown: () => isUnknown, isBlind: isUnknown };
    },
  };
}

export function createPollPartial({ base }: Adjustable<Durations>): Rule {
  return {
    id: 'LicensePollPartial/warning',
    name: 'LicensePollPartial',
    severity: 'warning',
    parameters: base,
    durations: () => base,
    judge: ({ inventory: { polls, up } }) => {
      const findings = polls
        .filter((poll) => isTried(poll) && !poll.success && up)
        .map(({ endpoint }) =>
          raised(
            { alertname: 'LicensePollPartial', severity: 'warning', endpoint },
            {
              summary: `Only a part of ${endpoint} can be polled.`,
              description:
                'At least one vendor license fails in spite of the retries; its last good data ages out alone. The log names the part and the reason.',
            },
          ),
        );
      // `up` is not told before all of them have been tried
      const isUnknown = !polls.every(isTried);
      return { findings, isUnknown: () => isUnknown, isBlind: isUnknown };
    },
  };
}

export function createRecordsDiscarded({ base }: RuleSettings['LicenseRecordsDiscarded']): Rule {
  return {
    id: 'LicenseRecordsDiscarded/warning',
    name: 'LicenseRecordsDiscarded',
    severity: 'warning',
    parameters: base,
    durations: () => base,
    judge: ({ inventory: { polls } }) => {
      const shares = polls.map(({ endpoint, records, discarded: { bad_record: bad } }) => ({
        endpoint,
        // NaN while there are no records, which is above nothing
        share: bad / (bad + records),
      }));
      const findings = shares
        .filter(({ share }) => share > base.share)
        .map(({ endpoint, share }) =>
          raised(
            { alertname: 'LicenseRecordsDiscarded', severity: 'warning', endpoint },
            {
              summary: `${(share * 100).toPrecision(3)} % of the records of ${endpoint} are discarded.`,
              description:
                'They are no objects or have no name, so vendor licenses or features are missing from the metrics. "license-exporter doctor" compares the answers with the specification.',
            },
            share,
          ),
        );
      // nothing was ever read of it, or what was read last was empty
      const isUnread = (poll: PollState): boolean => !poll.answered && poll.records + poll.discarded.bad_record === 0;
      return {
        findings,
        isUnknown: (labels) => polls.some((poll) => poll.endpoint === labels.endpoint && isUnread(poll)),
        isBlind: !polls.every(isTried),
      };
    },
  };
}

import type { Finding } from './alert.ts';
import { aboutSite, createRule, humanDuration, type RuleFactory } from './rule.ts';
import type { Durations } from './rule-settings.ts';
import { localTimeText } from './texts.ts';

/** Rules about vendor licenses as a whole. */

interface ServerDownParameters extends Durations {
  /** A MappingIcon of GetProducts that also means that the server is down. */
  readonly iconPattern: RegExp | undefined;
}

export const createServerDown: RuleFactory<ServerDownParameters> = (name, settings) =>
  createRule({
    name,
    severity: 'critical',
    settings,
    threshold: 'none',
    evaluate: ({ inventory: { vendorLicenses, knowledge, fields }, timeZone }, { parametersOf, finding }) => {
      const unknown = new Set<string>();
      const lacksIcon = (name: string): boolean => fields.missingOf('GetProducts', name).includes('MappingIcon');
      const findings = [...vendorLicenses].flatMap((row): Finding[] => {
        const { vendorLicense, up, downQualifiers, mappingIcon, collectionTime } = row;
        const { enabled, iconPattern } = parametersOf({ vendorLicense });
        if (!enabled) return [];
        const isDownByIcon =
          iconPattern !== undefined &&
          (mappingIcon === undefined || lacksIcon(vendorLicense) ? undefined : iconPattern.test(mappingIcon));
        if (up !== false && isDownByIcon !== true) {
          if (up === undefined || isDownByIcon === undefined) unknown.add(vendorLicense);
          return [];
        }
        const qualifiers = downQualifiers.filter((qualifier) => qualifier !== '');
        const parts = qualifiers.length === 0 ? '' : ` (${qualifiers.join(', ')})`;
        const since =
          collectionTime === undefined ? 'for at least 30 minutes' : `since ${localTimeText(collectionTime, timeZone)}`;
        const annotations = {
          summary: `License server ${vendorLicense} is down.`,
          description: `The analyzer has received no data from ${vendorLicense}${parts} ${since}. Users cannot check out its licenses while it is down. Check the license server and its vendor daemon.`,
        };
        return [finding({ vendor_license: vendorLicense }, annotations)];
      });
      const hasNoData = !knowledge.serverDown;
      return {
        findings,
        isUnknown: ({ vendor_license = '' }) => hasNoData || unknown.has(vendor_license),
        unknownAbout: hasNoData ? aboutSite(true) : unknown,
        hasNoData,
      };
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
    threshold: ({ maxAge }) => maxAge,
    evaluate: ({ now, inventory: { vendorLicenses, knowledge }, timeZone }, { parametersOf, finding }) => {
      const unknown = new Set<string>();
      const findings = [...vendorLicenses].flatMap(({ vendorLicense, up, collectionTime }): Finding[] => {
        const { enabled, maxAge } = parametersOf({ vendorLicense });
        if (!enabled || up === false) return [];
        if (collectionTime === undefined) {
          unknown.add(vendorLicense);
          return [];
        }
        const age = now - collectionTime;
        if (age <= maxAge) return [];
        // not even that its server is down is known
        if (up === undefined && !knowledge.serverDown) {
          unknown.add(vendorLicense);
          return [];
        }
        const annotations = {
          summary: `Data of ${vendorLicense} is ${humanDuration(age)} old.`,
          description: `The server is not reported down, but its last collection was at ${localTimeText(collectionTime, timeZone)}. Check the collector of the analyzer for this server.`,
        };
        return [finding({ vendor_license: vendorLicense }, annotations, age)];
      });
      const hasNoData = !knowledge.products || !knowledge.serverDown;
      return {
        findings,
        isUnknown: ({ vendor_license = '' }) => hasNoData || unknown.has(vendor_license),
        unknownAbout: hasNoData ? aboutSite(true) : unknown,
        hasNoData,
      };
    },
  });

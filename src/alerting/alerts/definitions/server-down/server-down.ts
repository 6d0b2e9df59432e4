import { unknown } from '../../../../base/model/unknown.ts';
import { regularExpression } from '../../../../base/settings/values.ts';
import { localTimeText, withWeekday } from '../../../../base/texts.ts';
import type { FieldStates } from '../../../../exporter/inventory/field-states.ts';
import type { VendorLicenseRow } from '../../../../exporter/inventory/vendor-license-row.ts';
import { vendorLicenseCondition } from '../../conditions.ts';
import { engineAlert } from '../../definition.ts';

const parameters = {
  icon_pattern: regularExpression
    .optional()
    .describe('Regular expression. A MappingIcon of GetProducts that matches also means that the server is down.'),
};

/** Since when the analyzer has no data of a server, which can be long before this program has seen that. */
function noDataText(row: VendorLicenseRow, name: string, fields: FieldStates, timeZone: string): string {
  const { vendorLicense, isReported, collectedAt } = row;
  if (collectedAt !== unknown) {
    return `The analyzer has received no data from ${name} since ${withWeekday(localTimeText(collectedAt, timeZone))}`;
  }
  // it says that there was no collection, unless it does not say when the last one was
  const isNever = isReported && !fields.missingOf('GetProducts', vendorLicense).includes('CollectionTime');
  return isNever
    ? `The analyzer has never received data from ${name}`
    : `The analyzer has received no data from ${name} for at least 30 minutes`;
}

/** The server of a vendor license, or its vendor daemon, gives the analyzer no data. */
export const serverDown = engineAlert({
  subject: 'vendor_license',
  messages: 'fault',
  severities: ['critical'],
  for: '0s',
  keepFiringFor: '20m',
  parameters,
  threshold: 'none',
  condition: vendorLicenseCondition<typeof parameters>(
    ({ inventory: { knowledge } }) => !knowledge.serverDown,
    (row, { iconPattern }, { now, inventory: { fields }, timeZone }) => {
      const { vendorLicense, up, downQualifiers, mappingIcon, collectedAt } = row;
      const lacksIcon =
        mappingIcon === undefined || fields.missingOf('GetProducts', vendorLicense).includes('MappingIcon');
      const isDownByIcon = iconPattern !== undefined && (lacksIcon ? undefined : iconPattern.test(mappingIcon));
      if (up !== false && isDownByIcon !== true)
        return up === undefined || isDownByIcon === undefined ? 'unknown' : false;
      const qualifiers = downQualifiers.filter((qualifier) => qualifier !== '');
      const parts = qualifiers.length === 0 ? '' : ` (${qualifiers.join(', ')})`;
      const facts = `${noDataText(row, `${vendorLicense}${parts}`, fields, timeZone)}.`;
      return { facts, value: collectedAt === unknown ? 0 : now - collectedAt };
    },
  ),
  areFactsSteady: true,
  attention: { what: 'Server is down', class: 'unusable', time: 'value is time since' },
  texts: {
    summary: ({ vendorLicense }) => `License server ${vendorLicense} is down.`,
    impact: 'If it is down, nobody can check out its licenses, and programs that run can lose theirs.',
    step: 'Check whether the license server and its vendor daemon run, and read the log of the vendor daemon. If both run, check the collector of the analyzer.',
  },
  example: () => ({ down: ['lic01;cdslmd'] }),
});

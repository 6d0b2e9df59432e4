import { integer } from '../../../../base/settings/values.ts';
import { numberText } from '../../../../base/texts.ts';
import { evaluateSources, isDown, labelsOf } from '../../conditions.ts';
import { engineAlert } from '../../definition.ts';

const parameters = {
  readings: integer(1, 1000)
    .prefault(2)
    .describe('The alert fires after this many failed readings of a source in succession.'),
};

/**
 * A license manager that an analyzer in this process collects from cannot be read, or its server is down. It outlasts
 * LicenseServerDown, which follows from it: else the end of an outage is a message that the server is down.
 */
export const sourceDown = engineAlert({
  subject: 'analyzer',
  messages: 'fault',
  severities: ['critical'],
  for: '0s',
  keepFiringFor: '25m',
  parameters,
  threshold: { value: ({ readings }) => readings, text: numberText },
  needs: 'sources',
  condition:
    ({ settings: { base }, finding }) =>
    (view) => {
      const { readings } = base;
      const down = (view.sources ?? []).filter((source) => isDown(source, readings));
      const findings = down.flatMap((source) => {
        const { name, manager, vendorLicenses, failedReadings = 0, isServerDown } = source;
        const [what, impact] =
          isServerDown === true
            ? ['is down', 'Users may not be able to check out its licenses.']
            : [
                'cannot be read',
                'There is no new data about its licenses. Whether users can check them out is not known.',
              ];
        // one that has never been read has no vendor licenses
        return (vendorLicenses.length === 0 ? [''] : vendorLicenses).map((vendorLicense) => {
          const told = {
            summary: `License source ${name}${vendorLicense === '' ? '' : ` of ${vendorLicense}`} ${what}.`,
            facts: `${failedReadings === 1 ? 'The last reading' : `The last ${numberText(failedReadings)} readings`} of ${name} (${manager}) failed.`,
            impact,
          };
          return finding({ ...labelsOf(source), vendor_license: vendorLicense }, told, failedReadings);
        });
      });
      return evaluateSources(view, findings, (source, vendorLicense) => {
        const { failedReadings, vendorLicenses } = source;
        if (failedReadings === 0) return false;
        // after a restart, a source that still fails has not been counted as down yet
        return !isDown(source, readings) || (vendorLicense !== undefined && vendorLicenses.length === 0);
      });
    },
  attention: { what: 'Source is down', class: 'unusable' },
  texts: {
    summary: ({ source }) => `License source ${source} is down or cannot be read.`,
    impact: 'Users may not be able to check out its licenses.',
    step: 'Open the page /sources of the exporter, which shows the reason and the remedy.',
  },
  example: () => ({ sources: [{ failedReadings: 2, members: [{ up: false }] }] }),
});

import { z } from 'zod';
import type { OwnerEntry } from '../model/owners.ts';
import { reservedLabels } from './labels.ts';
import { mayMean } from './names.ts';
import { strictListOf } from './structures.ts';
import { anyText, isNot, text } from './values.ts';

/** Who acts on vendor licenses and features. */

/** What an entry selects. Its other keys are labels. */
export const ownerKeys = ['vendor_license', 'feature'] as const;

/** Labels of metrics and alerts that an owner must not replace, beside those of alerts. */
const otherLabels = [
  'job',
  'instance',
  'server',
  'daemon',
  'license_type',
  'license_model',
  'token_pool',
  'token_source',
  'mapped_to',
  'license_source',
  'manager',
  'data',
  'alertstate',
  'external_url',
];

/** Why a key of an entry, or a column of a file, is neither a selecting key nor a label; `undefined` if it is. */
export function ownerKeyProblem(name: string): string | undefined {
  if ((ownerKeys as readonly string[]).includes(name)) return undefined;
  const meant = ownerKeys.find((key) => mayMean(name, key));
  if (meant !== undefined) return `is not a usual label, did you mean ${meant}?`;
  if (!/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name)) return 'is not a label name; use letters, digits and _';
  if (name.startsWith('__')) return 'is reserved: Prometheus drops labels whose names start with __';
  if (reservedLabels.includes(name) || otherLabels.includes(name)) {
    return 'is reserved: metrics or alerts have this label already; use another name';
  }
  return undefined;
}

const isMap = (raw: unknown): raw is object => typeof raw === 'object' && raw !== null && !Array.isArray(raw);

export const ownerEntry = z
  .preprocess(
    (raw, context) => {
      for (const name of isMap(raw) ? Object.getOwnPropertyNames(raw) : []) {
        const message = ownerKeyProblem(name);
        if (message !== undefined) context.addIssue({ code: 'custom', path: [name], message });
      }
      return raw;
    },
    z
      .object(
        {
          vendor_license: text.describe('Name of the vendor license. `*` matches any text.'),
          feature: text.prefault('*').describe('Name of the feature. `*` matches any text.'),
        },
        { error: isNot('a map such as {vendor_license: "lic01;*", owner: cad}') },
      )
      .catchall(anyText),
  )
  .refine((entry) => Object.keys(entry).some((name) => !(ownerKeys as readonly string[]).includes(name)), {
    error: 'gives no label; add one, for example owner',
  })
  .transform(
    ({ vendor_license, feature, ...labels }): OwnerEntry => ({
      vendorLicense: vendor_license,
      feature,
      labels: labels as Readonly<Record<string, string>>,
    }),
  );

/** Entries of owners, as the setting and its file have them. */
export const ownerEntries = strictListOf(ownerEntry);

export const owners = ownerEntries.prefault([]).meta({
  description:
    'Who acts on vendor licenses and features: see [Owners](metrics.md#owners). Each entry has `vendor_license`, optionally `feature`, and labels such as `owner`, `team` and `site`.',
  fileOnly: true,
});

export const ownersFile = text
  .optional()
  .describe(
    'File with more entries of `owners`: CSV with a header, YAML or JSON. It is read again when it changes. Entries of `owners` come first.',
  );

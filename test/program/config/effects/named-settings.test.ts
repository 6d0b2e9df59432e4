import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { matchers } from '../../../../src/base/settings/labels.ts';
import { regularExpression } from '../../../../src/base/settings/values.ts';
import { settingKeys, settings } from '../../../../src/program/config/settings.ts';

/** Names of what an analyzer lists, as keys of entries. */
const selecting: ReadonlySet<string> = new Set(['vendor_license', 'feature', 'package', 'include', 'exclude']);

/** The patterns and names in a schema, by their paths. The names of alerts are `*`. */
function namesIn(schema: z.core.$ZodType, path: string): readonly string[] {
  if (schema === regularExpression || schema === matchers) return [path];
  const { def } = schema as z.ZodType;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodPrefault) return namesIn(schema.def.innerType, path);
  if (schema instanceof z.ZodPipe) return [...namesIn(schema.def.in, path), ...namesIn(schema.def.out, path)];
  if (schema instanceof z.ZodArray) return namesIn(schema.def.element, `${path}[]`);
  if (schema instanceof z.ZodUnion) return schema.def.options.flatMap((option) => namesIn(option, path));
  if (schema instanceof z.ZodRecord) return namesIn(schema.def.valueType, `${path}.*`);
  if (!(schema instanceof z.ZodObject)) {
    expect(['string', 'number', 'boolean', 'enum', 'literal', 'transform', 'unknown']).toContain(def.type);
    return [];
  }
  return Object.entries(schema.shape).flatMap(([key, below]) => {
    const next = `${path}.${key}`.replace(/^(alerting\.rules)\.License\w+/, '$1.*');
    const found = namesIn(below as z.core.$ZodType, next);
    return found.length === 0 && selecting.has(key) ? [next] : found;
  });
}

describe('the patterns and names in entries', () => {
  it('are those that are looked up: add another one to named-settings.ts', () => {
    const found = new Set(settingKeys.flatMap((key) => namesIn(settings[key].schema, key)));
    expect([...found].sort()).toEqual([
      'alerting.ignore[]',
      'alerting.rules.*.icon_pattern',
      'alerting.rules.*.overrides[].feature',
      'alerting.rules.*.overrides[].icon_pattern',
      'alerting.rules.*.overrides[].vendor_license',
      'embedded_analyzer.source_defaults.features.exclude[]',
      'embedded_analyzer.source_defaults.features.include[]',
      'embedded_analyzer.sources[].features.exclude[]',
      'embedded_analyzer.sources[].features.include[]',
      'history.features[].feature',
      'history.features[].package',
      'history.features[].vendor_license',
      'owners[].feature',
      'owners[].vendor_license',
      'rightsizing.without_reservations[].feature',
      'rightsizing.without_reservations[].vendor_license',
      'select.exclude[]',
      'select.include[]',
    ]);
  });
});

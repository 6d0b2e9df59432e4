import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { createObservationSchema } from '../../../../src/analyzer/sources/json/code.ts';
import { NOW, parseText } from './documents.ts';

const page = readFileSync(join(import.meta.dirname, '../../../../docs/json-source.md'), 'utf8');
const examples = [...page.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);

describe('the documentation of observation documents', () => {
  it('has examples', () => {
    expect(examples.length).toBeGreaterThanOrEqual(2);
  });

  it.each(examples)('has an example that is read without a contradiction: %j', (text) => {
    const { vendorLicenses, diagnostics, problems } = parseText(text, { now: NOW });
    expect(diagnostics.contradictions).toBe(0);
    expect(vendorLicenses[0]?.pools.length).toBeGreaterThan(0);
    expect(problems.map(({ kind }) => kind).filter((kind) => kind === 'clock' || kind === 'empty')).toEqual([]);
    const validate = new Ajv2020({ allErrors: true, allowUnionTypes: true, strict: false }).compile(
      createObservationSchema(),
    );
    expect({ valid: validate(JSON.parse(text)), errors: validate.errors }).toEqual({ valid: true, errors: null });
  });

  it('shows a message as it is written', () => {
    const [message] = /vendor_licenses\[0\]\.features\[3\]\.in_use: [^`]*/.exec(page) ?? [];
    const features = [0, 1, 2, -1].map((use, i) => ({ feature: `f${i}`, in_use: use }));
    const text = JSON.stringify({ version: 1, vendor_licenses: [{ server: 's', daemon: 'd', features }] });
    expect(() => parseText(text)).toThrow(message);
    expect(message).toBeDefined();
  });
});

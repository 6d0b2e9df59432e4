import type { FieldEndpoint } from '../../base/query-api/records.ts';

/** A field of the contract that the answers had, or that is needed. */
export interface FieldState {
  readonly endpoint: FieldEndpoint;
  readonly field: string;
  readonly isNeeded: boolean;
  /** Vendor licenses that should have it, and those of them whose records lack it. Lower case. */
  readonly expected: readonly string[];
  readonly missing: readonly string[];
}

/** Which fields answers should have, and lack. */
export interface FieldStates {
  readonly list: readonly FieldState[];
  /** The fields that all records of a vendor license lack. */
  missingOf(endpoint: FieldEndpoint, vendorLicense: string): readonly string[];
}

/** The states by their list. */
export function createFieldStates(list: readonly FieldState[]): FieldStates {
  const missing = new Map<string, string[]>();
  for (const state of list) {
    for (const name of state.missing) {
      const key = `${state.endpoint} ${name}`;
      const fields = missing.get(key);
      if (fields === undefined) missing.set(key, [state.field]);
      else fields.push(state.field);
    }
  }
  return {
    list,
    missingOf: (endpoint, vendorLicense) => missing.get(`${endpoint} ${vendorLicense.toLowerCase()}`) ?? [],
  };
}

/** Nothing was observed. */
export const noFieldStates: FieldStates = createFieldStates([]);

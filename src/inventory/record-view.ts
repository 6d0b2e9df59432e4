import type { Fields } from '../query-api/field.ts';
import { modelName } from '../query-api/records.ts';

/**
 * A view of a record of the analyzer, which may be missing. Fields of use are `undefined` while they are withheld. A
 * subclass gets its getters by `defineFields`.
 */
export class RecordView {
  /** Whether its use is not shown, because it is out of date. */
  readonly isWithheld: boolean;
  readonly #record: Readonly<Record<string, unknown>> | undefined;

  constructor(record: object | undefined, isWithheld: boolean) {
    this.#record = record as Readonly<Record<string, unknown>> | undefined;
    this.isWithheld = isWithheld;
  }

  /** Whether the analyzer has a fresh record of it. */
  get isReported(): boolean {
    return this.#record !== undefined;
  }

  /** Gives a class one getter for each field, in our spelling, but those it has itself. */
  static defineFields(target: { readonly prototype: RecordView }, fields: Fields, own: ReadonlySet<string>): void {
    for (const [wireName, { isUsage }] of Object.entries(fields)) {
      const name = modelName(wireName);
      if (own.has(name)) continue;
      const read = function (this: RecordView): unknown {
        return isUsage && this.isWithheld ? undefined : this.#record?.[name];
      };
      Object.defineProperty(target.prototype, name, { get: read, enumerable: true });
    }
  }
}

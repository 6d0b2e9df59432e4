import { inspect } from 'node:util';

/** A text that must not be shown: prints as `<secret>` wherever it is put by mistake. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return '<secret>';
  }

  toJSON(): string {
    return '<secret>';
  }

  [inspect.custom](): string {
    return '<secret>';
  }
}

import { inspect } from 'node:util';
import type { ClientTls } from '../model/client-tls.ts';

/** A secret. It prints as `<secret>`, so it cannot reach logs or messages by mistake. */
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

/** TLS of a client, with its private key as text. */
export const revealTls = (tls: ClientTls<Secret>): ClientTls => ({ ...tls, key: tls.key?.reveal() });

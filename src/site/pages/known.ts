import { DatasourceError } from '../grafana/answers/errors.ts';

/** A value, or why it is not known. */
export type Known<T> = { readonly value: T } | { readonly reason: string };

/** Reads a value of which a page can do without. Anything but an error for users is a bug. */
export async function attempt<T>(read: () => Promise<T>): Promise<Known<T>> {
  try {
    return { value: await read() };
  } catch (error) {
    if (error instanceof DatasourceError) return { reason: error.message };
    throw error;
  }
}

import type { Output } from './transport/transport.ts';

/** What a tool says: some tools print everything on standard error. */
export const textOf = ({ stdout, stderr }: Output): string => (stdout.trim() === '' ? stderr : stdout);

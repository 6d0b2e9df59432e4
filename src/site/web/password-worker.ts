import { parentPort } from 'node:worker_threads';
import { compareSync } from 'bcryptjs';
import type { PasswordQuestion, PasswordVerdict } from './password-check.ts';

/** The thread that hashes passwords. bcrypt takes 60 ms and more, in which the main thread answers scrapes. */

parentPort?.on('message', ({ id, password, hash }: PasswordQuestion) => {
  parentPort?.postMessage({ id, isRight: compareSync(password, hash) } satisfies PasswordVerdict);
});

import { NtlmError } from '../ntlm/errors.ts';
import type { Job } from './pending-request.ts';

export function fail(job: Job, error: Error): void {
  job.handler.onResponseError?.(job.controller, error);
}

/** The requests that wait for a connection, in order of arrival. One that is aborted while it waits fails at once. */
export class JobQueue {
  #jobs: Job[] = [];

  get length(): number {
    return this.#jobs.length;
  }

  push(job: Job): void {
    this.#jobs.push(job);
    job.controller.onAbort = () => this.#remove(job);
  }

  /** A request that has waited before comes first. */
  unshift(job: Job): void {
    this.#jobs.unshift(job);
  }

  shift(): Job | undefined {
    return this.#jobs.shift();
  }

  failAll(error: Error): void {
    const waiting = this.#jobs;
    this.#jobs = [];
    for (const job of waiting) fail(job, error);
  }

  #remove(job: Job): void {
    const at = this.#jobs.indexOf(job);
    if (at === -1) return;
    this.#jobs.splice(at, 1);
    fail(job, job.controller.reason ?? new NtlmError('NTLM_CLOSED', 'the request was given up'));
  }
}

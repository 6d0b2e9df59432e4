import { NtlmError } from '../../base/ntlm/errors.ts';
import type { PendingRequest } from './pending-request.ts';

/** Tells the handler of a request why there will be no answer. */
export function fail(request: PendingRequest, error: Error): void {
  request.handler.onResponseError?.(request.controller, error);
}

/** The requests that wait for a connection, in order of arrival. A request that is aborted while it waits fails at once. */
export class RequestQueue {
  #requests: PendingRequest[] = [];

  get length(): number {
    return this.#requests.length;
  }

  push(request: PendingRequest): void {
    this.#requests.push(request);
    request.controller.onAbort = () => this.#remove(request);
  }

  /** Puts a request that has waited before at the front. */
  unshift(request: PendingRequest): void {
    this.#requests.unshift(request);
    request.controller.onAbort = () => this.#remove(request);
  }

  shift(): PendingRequest | undefined {
    const request = this.#requests.shift();
    if (request !== undefined) request.controller.onAbort = undefined;
    return request;
  }

  failAll(error: Error): void {
    const waiting = this.#requests;
    this.#requests = [];
    for (const request of waiting) fail(request, error);
  }

  #remove(request: PendingRequest): void {
    const at = this.#requests.indexOf(request);
    if (at === -1) return;
    this.#requests.splice(at, 1);
    fail(request, request.controller.reason ?? new NtlmError('NTLM_CLOSED', 'the request was canceled'));
  }
}

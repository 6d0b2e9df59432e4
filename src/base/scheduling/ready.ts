/** Waits for something that cannot be canceled. @throws the reason of the signal, or what it rejects with */
export async function untilReady(ready: Promise<unknown>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    await Promise.race([ready, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Whether a promise resolves within `seconds`. @throws what the promise rejects with in that time */
export async function endsWithin(promise: Promise<void>, seconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), seconds * 1000);
  });
  try {
    return await Promise.race([promise.then(() => true), limit]);
  } finally {
    clearTimeout(timer);
  }
}

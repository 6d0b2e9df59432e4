/**
 * The bytes of a chunk in memory of their own, which can be transferred to another thread.
 *
 * Node allocates memory for each read of a socket, TLS too, of the size that was read, and undici passes on parts of it. A part that
 * covers its whole memory is therefore all that was read, and nobody else uses it. Beside any other part there are headers,
 * the frames of the chunked encoding or parts of the same body, or it is in the pool of small buffers: it is copied. The analyzer in
 * this process makes each body for one question, and does not keep it.
 */
export function ownMemory({ buffer, byteOffset, byteLength }: Buffer): ArrayBuffer {
  const memory = buffer as ArrayBuffer;
  // undici passes one empty buffer again and again
  return byteLength === memory.byteLength && byteLength > 0
    ? memory
    : memory.slice(byteOffset, byteOffset + byteLength);
}

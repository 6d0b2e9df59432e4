/** One HTTP message as raw bytes. */
export interface Message {
  /** Start line and headers, with the empty line that ends them. */
  readonly head: Buffer;
  readonly body: Buffer;
}

const END = Buffer.from('\r\n\r\n');

/** The value of a header; its name is matched without case. */
export function headerOf(head: Buffer, name: string): string | undefined {
  return new RegExp(`^${name}:[ \\t]*(.*?)[ \\t]*$`, 'im').exec(head.toString('latin1').replaceAll('\r', ''))?.[1];
}

/** Splits the bytes of a connection into messages. Bodies need a Content-Length, which our own servers always send. */
export function createMessageReader(onMessage: (message: Message) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const at = rest.indexOf(END);
      if (at === -1) return;
      const head = rest.subarray(0, at + END.length);
      const length = Number(headerOf(head, 'content-length') ?? 0);
      if (rest.length < head.length + length) return;
      const body = rest.subarray(head.length, head.length + length);
      rest = rest.subarray(head.length + length);
      onMessage({ head, body });
    }
  };
}

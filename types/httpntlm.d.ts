declare module 'httpntlm/ntlm.js' {
  interface NtlmPrimitives {
    /** MD4 of the UTF-16LE password. */
    create_NT_hashed_password(password: string): Buffer;
    /** The NEGOTIATE message as `NTLM <base64>`; writes into the options it is given. */
    createType1Message(options: Record<string, unknown>): string;
  }
  const primitives: NtlmPrimitives;
  export default primitives;
}

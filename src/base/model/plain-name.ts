/**
 * Whether a name of a host or a daemon is only letters, digits, dots, `-` and `_`, and begins with none of `-` and dot: then it is one
 * argument of a tool also where a shell reads it, for instance behind ssh.
 */
export const isPlainName = (name: string): boolean => /^[A-Za-z0-9_][A-Za-z0-9._-]{0,252}$/.test(name);

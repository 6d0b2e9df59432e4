import { lchownSync, statSync } from 'node:fs';

/** Gives a file or directory that root has created to the owner of its directory, because the daemon runs as that user. */
export function giveToOwnerOf(directory: string, path: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(directory);
  // not through a link, which the user could have put there
  lchownSync(path, uid, gid);
}

import { execFileSync } from 'node:child_process';

/** The image of this version, as the container tool of this host knows it. */

const tools = ['docker', 'podman'];

/** @returns what is known, `undefined` without the tool or the image */
function inspect(tool: string, image: string): readonly string[] | undefined {
  const flags = ['image', 'inspect', '--format', '{{json .RepoDigests}}', image];
  try {
    const output = execFileSync(tool, flags, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return (JSON.parse(output) as readonly string[] | null) ?? [];
  } catch {
    return undefined;
  }
}

/** The image with its digest, which a registry gives when it is pushed, or why it has none. */
export function pushedImage(name: string, version: string): { readonly image: string } | { readonly missing: string } {
  const image = `${name}:${version}`;
  const found = tools.map((tool) => inspect(tool, image)).find((digests) => digests !== undefined);
  if (found === undefined) return { missing: `no image ${image} on this host` };
  const pushed = found.find((digest) => digest.startsWith(`${name}@`));
  return pushed === undefined ? { missing: `the image ${image} is not pushed, and has no digest` } : { image: pushed };
}

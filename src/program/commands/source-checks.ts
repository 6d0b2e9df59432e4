import { access, constants } from 'node:fs/promises';
import { managerNamed, managers } from '../../analyzer/sources/managers.ts';
import type { SourceConfig } from '../../analyzer/sources/source-settings.ts';
import { checkTool } from '../../analyzer/sources/transport/tool-check.ts';
import { SourceFailure } from '../../base/model/observation/source-failure.ts';

/** What can be seen of sources without reading them. */

async function toolWarnings({ via }: SourceConfig): Promise<readonly string[]> {
  if (via?.kind !== 'command') return [];
  const [tool = ''] = via.command;
  try {
    await checkTool(tool);
    return [];
  } catch (error) {
    if (error instanceof SourceFailure) return [error.message];
    throw error;
  }
}

/** Files that it reads, by setting. */
const filesOf = (source: SourceConfig): readonly (readonly [setting: string, file: string])[] => [
  ...(source.via?.kind === 'file' ? [['via.file', source.via.file] as const] : []),
  ...managers[managerNamed(source.manager)].settings.files(source),
];

async function fileWarnings(source: SourceConfig): Promise<readonly string[]> {
  const warnings = filesOf(source).map(async ([setting, file]) => {
    const code = await access(file, constants.R_OK).then(
      () => undefined,
      (error: NodeJS.ErrnoException) => error.code,
    );
    if (code === undefined) return [];
    return [`${setting}: ${file} ${code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`}`];
  });
  return (await Promise.all(warnings)).flat();
}

/** What would keep the tool and the files of a source from being used by this user on this host. */
export async function sourceWarnings(source: SourceConfig): Promise<readonly string[]> {
  const warnings = [...(await toolWarnings(source)), ...(await fileWarnings(source))];
  return warnings.map((warning) => `source ${source.name}: ${warning}`);
}

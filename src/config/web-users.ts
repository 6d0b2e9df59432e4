import { isMap, parseDocument } from 'yaml';
import { ConfigError } from './problems.ts';
import { webConfigKeys } from './web-config.ts';

const USERS = 'basic_auth_users';

const sections: readonly string[] = [...new Set(Object.keys(webConfigKeys).map((key) => key.split('.')[0] ?? ''))];

/**
 * The text of a web config with the hash of a user, which replaces the hash that this user has. Comments stay.
 *
 * @throws ConfigError if the text is not valid YAML, or is no web config
 */
export function withWebUser(source: string, file: string, name: string, hash: string): string {
  const document = parseDocument(source);
  const refuse = (message: string): never => {
    throw new ConfigError([{ key: '', where: file, message }]);
  };
  if (document.errors.length > 0) refuse('is not valid YAML; correct it first');
  const root: unknown = document.contents;
  if (root !== null && !isMap(root)) return refuse('is no web config');
  const other = root?.items.map(({ key }) => String(key)).find((key) => !sections.includes(key));
  if (other !== undefined) refuse(`is no web config: it has ${other}; valid are ${sections.join(', ')}`);
  if (isMap(document.get(USERS))) document.setIn([USERS, name], hash);
  else document.set(USERS, document.createNode({ [name]: hash }));
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

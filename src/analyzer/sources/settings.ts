import { z } from 'zod';
import { isPlainName } from '../../base/model/vendor-license.ts';
import { baseUrl } from '../../base/settings/addresses.ts';
import { analyzer } from '../../base/settings/analyzer.ts';
import { type Camelized, camelized } from '../../base/settings/camel.ts';
import { listOf, mapOf, oneOrMore, recordOf, secretInFile } from '../../base/settings/structures.ts';
import {
  boolean,
  duration,
  isNot,
  oneOf,
  regularExpression,
  size,
  text,
  timeZone,
} from '../../base/settings/values.ts';
import { type Manager, managerNames, managers } from './managers.ts';

/** `embedded_analyzer.sources`: license managers that the embedded analyzer collects from. Every key is optional here. */

const NAME = /^[a-z0-9_-]{1,40}$/;
const nameForm = { error: isNot('a name of at most 40 lower-case letters, digits, _ and -') };
const SERVER = /^(\d{1,5})?@([^\s@:;,]+|\[[0-9a-fA-F:.]+\])$/;
/** As most other programs have it. */
const HOST_AND_PORT = /^([\w.-]+):(\d{1,5})$/;
const MAX_PORT = 65_535;

/** Why a text is no server; `undefined` if it is one. It becomes an argument of a tool, perhaps of a shell behind ssh. */
function serverProblem(written: string): string | undefined {
  if (/[:;,]/.test(written.replace(/\[.*\]/, '')) && written.includes('@')) {
    return 'names several servers; independent servers are independent sources, the three servers of a redundant group are three entries of the list';
  }
  const [, port = '0', host = ''] = SERVER.exec(written) ?? [];
  if (host === '') {
    const [, name, number] = HOST_AND_PORT.exec(written) ?? [];
    const example = name === undefined ? 'a server such as 27000@host' : `a server: write ${number}@${name}`;
    return isNot(example)({ input: written });
  }
  if (Number(port) > MAX_PORT) return `has the port ${port}; ports end at ${MAX_PORT}`;
  if (host.startsWith('[') || isPlainName(host)) return undefined;
  return isNot('a server: a host has letters, digits, dots, - and _, or is an IPv6 address in brackets')({
    input: written,
  });
}

const server = text.transform((written, context) => {
  const message = serverProblem(written);
  if (message !== undefined) context.addIssue({ code: 'custom', message });
  return written.toLowerCase();
});

const isNoPath = isNot('an absolute path such as /opt/flexlm/lmutil');

/** Managers that a recipe reads: it prints JSON. Its file is `deploy/recipes/NAME.py`. */
export const recipes: readonly string[] = ['mathlm'];

/** How a manager is read whose name is not one of ours. @param name in lower case, letters and digits only */
function adviceOn(name: string): string {
  const meant = managerNames.find((one) => {
    const { alsoCalled } = managers[one];
    return alsoCalled !== 'none' && alsoCalled.test(name);
  });
  if (meant !== undefined) return `did you mean ${meant}?`;
  return recipes.includes(name)
    ? `${name} is read as json, with the recipe deploy/recipes/${name}.py, see docs/json-source.md`
    : 'others are read as json, see docs/json-source.md';
}

/** What is wrong with the name of a manager, and how it is read nevertheless. */
function managerProblem({ input }: { readonly input?: unknown }): string {
  const name = String(input)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '');
  return `${isNot(`one of ${managerNames.join(', ')}`)({ input })}; ${adviceOn(name)}`;
}

/** A command as one text with arguments: nothing takes it apart. */
const commandLine = (raw: unknown): readonly string[] | undefined => {
  const words = typeof raw === 'string' ? raw.trim().split(/\s+/) : [];
  return words.length > 1 ? words : undefined;
};

const tls = mapOf(
  {
    ca_file: text.optional(),
    cert_file: text.optional(),
    key_file: text.optional(),
    server_name: text.optional(),
    insecure_skip_verify: boolean.optional(),
  },
  { key: secretInFile('key') },
).transform(camelized);

const ofAnalyzer = analyzer.shape;

const viaAnalyzer = mapOf(
  {
    url: baseUrl('https://lic.example.com:8443/analyzer', 'set username and password_file'),
    username: ofAnalyzer.username,
    domain: text.optional(),
    workstation: ofAnalyzer.workstation,
    password_file: ofAnalyzer.password_file,
    auth_retry: ofAnalyzer.auth_retry,
    max_failed_logons: ofAnalyzer.max_failed_logons,
    logon_file: ofAnalyzer.logon_file,
    tls: tls.optional(),
  },
  { password: secretInFile('password') },
).transform(camelized);

const via = mapOf(
  {
    command: z
      .preprocess((raw, context) => {
        const words = commandLine(raw);
        if (words === undefined) return raw;
        const message = `has arguments in one text, which no shell takes apart: write a list, [${words.join(', ')}]; a path with spaces is a list with one entry`;
        context.addIssue({ code: 'custom', message });
        return z.NEVER;
      }, oneOrMore(text))
      .superRefine(([tool], context) => {
        if (tool?.startsWith('/') !== true) context.addIssue({ code: 'custom', message: isNoPath({ input: tool }) });
      })
      .optional()
      .describe('The tool with its absolute path, or a list: the tool and its first arguments. No shell reads them.'),
    file: text.optional().describe('A file that something else writes, for instance cron, and renames into place.'),
    max_age: duration(60).optional().meta({
      description: 'The file counts as failed when it is older.',
      shownDefault: '2 × `interval`',
    }),
    http: baseUrl('https://licenses.example.com/observations')
      .optional()
      .describe('An address that answers with the text or JSON.'),
    analyzer: viaAnalyzer
      .optional()
      .describe(
        'Another analyzer of the Query API: `url`, `username`, `domain`, `workstation`, `password_file`, `auth_retry`, `max_failed_logons`, `logon_file` and `tls`, as in `analyzer`.',
      ),
    token_file: text.optional().describe('File with a bearer token for `http`. It is read for each request.'),
    tls: tls
      .optional()
      .describe('`ca_file`, `cert_file`, `key_file`, `server_name` and `insecure_skip_verify` for `http`.'),
  },
  { token: secretInFile('token') },
).superRefine((written, context) => {
  const ways = (['command', 'file', 'http', 'analyzer'] as const).filter((way) => written[way] !== undefined);
  if (ways.length === 1) return;
  const message =
    ways.length === 0 ? 'needs one of command, file, http and analyzer' : `has ${ways.join(' and ')}; keep one`;
  context.addIssue({ code: 'custom', message });
});

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;
const WIDENS = /^(?:.*_)?LICENSE_FILE$|^RLM_LICENSE$/i;

const variable = z
  .string()
  .regex(VARIABLE, { error: isNot('a name of an environment variable') })
  .refine((name) => !WIDENS.test(name), { error: 'makes the tool ask other servers too; set servers' });

const firstKeys = {
  name: z.string(nameForm).regex(NAME, nameForm).describe('Unique name: the label `source` of the metrics.'),
  manager: z
    .enum(managerNames, { error: managerProblem })
    .describe('License manager. `json` is the documented format of observations.'),
  servers: oneOrMore(server).describe(
    'License servers as `port@host`: three of FlexNet are one redundant group, several of another manager are tried in order. The first one is the server in the names of the vendor licenses.',
  ),
  part: text
    .refine((part) => !part.includes(';'), { error: 'must not contain ;' })
    .describe('Third part of the names of its vendor licenses, if two sources would report the same name.'),
  daemons: listOf(text).describe('Vendor daemons that are shown as down before the server was ever reached.'),
  via: via.describe(
    'How it is read: one of `command`, `file` (too old after `max_age`, twice the `interval`), `http` (with `token_file` and `tls`) and `analyzer`. FlexNet with `license_files` needs none.',
  ),
  env: recordOf(variable, text, isNot('a map of names and values'), 'is not a valid name').describe(
    'Environment variables of the command. It gets only these, PATH, HOME, LANG, LC_ALL and TZ.',
  ),
  interval: duration(60, 780).meta({
    description: 'Time between two collections, from 1m to 13m.',
    shownDefault: '5m',
  }),
  timeout: duration(1, 600).meta({
    description: 'A collection that takes longer fails, and its processes are killed. With `interval` at most 14m.',
    shownDefault: '60s',
  }),
  max_output: size(1024, 2 ** 30).meta({ description: 'Maximum size of the output.', shownDefault: '16MiB' }),
  encoding: text
    .refine((label) => isEncoding(label), { error: isNot('an encoding such as utf-8, shift_jis or windows-1252') })
    .meta({ description: 'Encoding of the output.', shownDefault: 'UTF-8, else Latin-1' }),
  time_zone: timeZone.meta({
    description:
      'Time zone of the times in the output. A date without a time is a day of `embedded_analyzer.time_zone`.',
    shownDefault: 'UTC for a command, else `embedded_analyzer.time_zone`',
  }),
};

const lastKeys = {
  features: mapOf({
    include: listOf(regularExpression).optional(),
    exclude: listOf(regularExpression).optional(),
    drop_unsupported: boolean.optional(),
  })
    .transform(camelized)
    .describe(
      'Regular expressions `include` and `exclude`. `drop_unsupported: false` keeps features that the server does not support.',
    ),
  users: mapOf({
    names: oneOf('keep', 'pseudonym', 'drop').optional(),
    split: oneOf('auto', 'first_word', 'longest').optional(),
  })
    .transform(camelized)
    .describe(
      '`names`: `keep` (default), `pseudonym`, or `drop`. `split`: how user and host are told apart if names contain spaces: `auto` (default), `first_word` or `longest`.',
    ),
  borrow: mapOf({ linger_at_least: duration(1).optional() })
    .transform(camelized)
    .describe(
      '`linger_at_least` (default 1h): a FlexNet license with at least this linger time is borrowed; in `license_files`, its feature needs `BORROW`.',
    ),
};

/** The managers that have a key of their own. */
export const managersWith = (key: string): readonly Manager[] =>
  managerNames.filter((manager) => Object.hasOwn(managers[manager].settings.keys, key));

/** Keys that only some managers have. */
export const ownKeys: Readonly<Record<string, z.ZodType>> = Object.assign(
  {},
  ...managerNames.map((manager) => managers[manager].settings.keys),
);

/** Every key of an entry, with its meaning. The keys are optional, because `source_defaults` can set them. */
export const sourceKeys: Readonly<Record<string, z.ZodType>> = {
  ...firstKeys,
  ...ownKeys,
  ...lastKeys,
};

type Keys = typeof firstKeys & typeof lastKeys;

/**
 * An entry as it is written: without the values of `source_defaults`. The keys that only its manager has are known to the
 * definition of the manager.
 */
export type SourceEntry = Partial<Camelized<{ readonly [K in keyof Keys]: z.output<Keys[K]> }>>;

const entryOf = (left: Readonly<Record<string, string>>) =>
  mapOf(
    Object.fromEntries(
      Object.entries(sourceKeys)
        .filter(([name]) => !(name in left))
        .map(([name, schema]) => [name, schema.optional()]),
    ),
    left,
  ).transform((entry) => camelized(entry) as SourceEntry);

/** A license manager that the embedded analyzer collects. Each manager adds its own settings. */
export const sourceEntry = entryOf({});

/** The name and the servers of a source cannot be a default. */
export const sourceDefaults = entryOf({
  name: 'belongs to a source, not to the defaults',
  servers: 'belongs to a source, not to the defaults',
});

function isEncoding(label: string): boolean {
  try {
    return new TextDecoder(label) instanceof TextDecoder;
  } catch {
    return false;
  }
}

import { textManagerCode } from '../text-manager.ts';
import { parseDsls } from './parse.ts';

const AT_START = String.raw`(?<=^[ \t]{0,40}(?:admin >)?[ \t]{0,40})`;
/** @param cells before it in its line */
const cell = (cells: string, pattern: string): string => `(?<=^(?:[^,]{0,200},){${cells}})(?:${pattern})(?=,|$)`;

/** What reads the output of DSLicSrv. */
export const dslsCode = textManagerCode({
  name: 'DSLS',
  kind: 'dslicsrv',
  title: 'DSLicSrv -admin',
  runs: (server) => {
    const [port = '', host = ''] = server.split('@');
    // a restricted connection leaves administrators theirs, and needs no password
    return [['-admin', '-run', `connect ${host} ${port || '4084'} -restricted; getLicenseUsage -csv; quit`]];
  },
  parse: parseDsls,
  shapes: [
    `${AT_START}(?:License Administration Tool Version|Software version:|Build date:|Ready: (?:yes|no)|(?:Standalone|Failover) mode|Server name:)`,
    `^admin >|(?<= )Server id:|${AT_START}Warning: restricted connection`,
    'Editor,EditorId,Feature,[A-Za-z ,()]{1,400}',
    cell('3', '[A-Za-z]{5,20}'),
    cell('11,13', String.raw`\d{1,9}|unlimited`),
    cell('24', String.raw`\d{1,9}`),
    String.raw`(?:maxReleaseNumber|maxReleaseDate|expirationDate|type|count|inuse|customerId|pricing structure|tokens|queue position):(?:\s{0,9}\d{1,9}(?![\w-]))?`,
    '(?:internal Id|granted since|last used at|by user|on host):',
  ],
  vocabulary: {
    words: `
      access active additional admin administration administrator all allowed am an and at authorized bind build cannot casual client code
      commercial computer concurrentuser configuration connect connected connection count customer customerid date denied duration editor
      editorid error expiration expirationdate failover feature for full granted host id in internal inuse is last license licensing max
      maxreleasedate maxreleasenumber mn mode model name nameduser names no not number of on operations password permitted pm port
      position pricing process protected queue quit ready refused release remote restricted server session since software some standalone
      std structure systemes time to token tokens tool type unknown unlimited used user utc version warning yes`,
    names: [],
  },
});

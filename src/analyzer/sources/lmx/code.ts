import { textManagerCode } from '../text-manager.ts';
import { parseLmx } from './parse.ts';

const AT_START = String.raw`(?<=^[ \t]{0,40})`;

/** What reads the outputs of lmxendutil and almutil. */
export const lmxCode = textManagerCode({
  name: 'LM-X',
  kind: 'lmxendutil',
  title: 'lmxendutil -licstatxml',
  runs: (server) => {
    const [port = '', host = ''] = server.split('@');
    return [['-licstatxml', '-host', host, '-port', port || '6200']];
  },
  parse: parseLmx,
  shapes: [
    String.raw`<\?xml[^<>]{0,100}\?>`,
    String.raw`</?(?:LM-?X|LICENSE_PATH|FEATURE|USED|USERS?)(?=[\s>/])`,
    String.raw`(?<=\s)(?:NAME|VERSION|VENDOR|START|END|HOST|IP|TYPE|STATUS|UPTIME|SHARE|SHARE_CUSTOM|KEYTYPE|SERVER_VERSION|LOGIN_TIME|CHECKOUT_TIME|BORROW_EXPIRE_TIME)="`,
    String.raw`(?<=\s)(?:USED|TOTAL|DENIED)_LICENSES="\d{1,15}"`,
    '(?<=STATUS=")SUCCESS(?=")|(?<=TYPE=")NETWORK(?=")',
    `${AT_START}(?:LM-X End-user Utility|LM-X License Server on|Feature:|Start date:|Key type:|Login time:|Shared on|Server version:)`,
    '(?<= )(?:Version|Vendor|Expire date|License sharing|Checkout time|Uptime):',
    String.raw`${AT_START}\d{1,15} of \d{1,15} license\(s\) used|${AT_START}\d{1,15} license\(s\) used by(?= )`,
  ],
  vocabulary: {
    words: `
      additive all altair and are available borrow by cannot checkout connect connection copyright custom date day days denied encoding end
      end-user error exclusive expire expires feature for formation from hal host hostname hour hours in ip key key_type keytype license
      license_path licenses licensing list lm-x lmx local login min mins name network no node not of on or refused reserved resolve rights sec
      secs server servers share shared sharing start status string success the there time timed to token total type unable uptime used user
      username users utility vendor version virtual x-formation xml`,
    names: [],
  },
});

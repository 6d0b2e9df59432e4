import { textManagerCode } from '../text-manager.ts';
import { parseRms } from './parse.ts';

/** What reads the output of lsmon. */
export const rmsCode = textManagerCode({
  name: 'Sentinel RMS',
  kind: 'lsmon',
  title: 'lsmon',
  // the port is in the environment of the tool
  runs: (server) => [[server.slice(server.indexOf('@') + 1)]],
  parse: parseRms,
  shapes: [
    String.raw`(?<=^[ \t]{0,40})\|-`,
    '(?:Feature|License|Client|Queued Client) Information',
    String.raw`(?:[Uu]nreserved|[Rr]eserved|[Cc]ommuter)(?: [Tt]okens| [Kk]eys)? [Ii]n [Uu]se\s{1,40}: \d{1,10}|Available (?:un)?reserved\s{1,40}: \d{1,10}`,
    String.raw`Max(?:imum)? concurrent user\(s\)\s{1,40}: (?:\d{1,10}|Unlimited)|Number of tokens(?: used)?\s{1,40}: \d{1,10}`,
    String.raw`(?<=\|- )(?:Feature (?:name|version)|License status|Expiration date|User name|Host name|X display name|Status|Is commuter (?:token|key)|No of tokens requested|(?:Unreserved|Reserved) tokens in queue)(?=\s{0,40}:)`,
    String.raw`(?<=(?:License status|Is commuter token)\s{0,40}: )(?:active|inactive|expired|yes|no)(?=\s{0,9}$)`,
    String.raw`(?<=(?:requested|in queue)\s{0,40}: )\d{1,10}(?=\s{0,9}$)`,
    '^ {0,9}Sentinel RMS|Copyright(?= \\(C\\))|Press Enter to continue|Contacting Sentinel[A-Za-z ]{0,60}on host|Running since|License has no expiration|Holding \\d{1,9} of',
  ],
  vocabulary: {
    words: `
      active additive aggregate allowed an application application-server at available cannot check client code commuter concurrent connect
      contacting continue copyright criteria criterion date default defaultgrp development display enter error exclusive expiration failed
      feature find for from group hash has heartbeat held holding host in inactive inc information is key keys kit level license licenses lifetime
      limit local locked locking log max maximum min mins monitor name no normal number of on press primary public queue queued requested
      reserved resolve restrictions rms running safenet secs sentinel server server-locked service sharing since soft start status storage
      tamper the time to token tokens type unable unlimited unreserved use used user users vendor version vm without yes`,
    names: [],
  },
});

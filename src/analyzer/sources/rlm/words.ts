import type { Vocabulary } from '../manager.ts';

/** The words of RLM's tools, which name nobody. */

const atStart = (words: string): string => String.raw`(?<=^[ \t]{0,40})(?:${words})`;

/** What stays of the output of rlmstat. */
export const shapes: readonly string[] = [
  atStart(String.raw`rlm status on|Setting license file path to|copyright(?= \(c\))`),
  String.raw`(?<=\S )(?:ISV server|license pool|license usage) status on(?= )|\(port \d{1,6}\)|, up(?= )`,
  atStart(String.raw`Name\s{1,40}Port\s{1,40}Running(?:\s{1,40}Restarts)?|no licenses? (?:are )?(?:currently )?in use`),
  String.raw`ISV servers(?=:|\s)|(?<=\s)(?:yes|no)(?=(?:\s{1,40}\d{1,9})?\s{0,40}$)`,
  atStart(
    String.raw`(?:count|# reservations|inuse|exp|obsolete|min_remove|total checkouts):(?:\s{0,9}\d{1,15}(?![\w-]))?`,
  ),
  String.raw`(?<=, {0,9})(?:count|# reservations|inuse|exp|obsolete|min_remove|total checkouts|pool):(?:\s{0,9}\d{1,15}(?![\w-]))?`,
  String.raw`(?<=(?:^|[,:])[ \t]{0,40})(?:unlimited|uncounted)(?=,|\s{0,40}$)`,
  String.raw`(?<=^)rlm(?:util|stat)(?:\.exe)?(?= v\d\S{0,20}\s{0,40}$)`,
  '(?<=exp: )permanent',
  atStart('token-based license'),
  String.raw`\d{1,9}\/\d{1,9}\s{1,9}at(?=\s{1,9}\d{1,2}\/)|\(handle:`,
  String.raw`(?<=\s|\()v(?=[^\s,:()]{0,40}\d[^\s,:()]{0,40}(?:[,:)]|\s{0,40}$))`,
  atStart(String.raw`(?:Recent|Todays|Today's) Statistics(?= \()|Startup time:`),
  String.raw`, init time:|(?<=\S )(?:software version|comm version)(?=:? )|(?:debug|report|info) log file(?:name)?:`,
  atStart(
    String.raw`Recent stats\s{1,40}Today'?s stats\s{1,40}Total stats|(?:messages|connections|checkouts|denials|removals):`,
  ),
  String.raw`error connecting to "?rlm"? server|error connecting to(?= )|(?<=\S )server(?=\s{0,40}$)`,
  "bad (?:server )?host ?name|unknown host|can(?:not|'t) resolve|host not found|name or service not known",
  'not authori[sz]ed|permission denied|authentication failed|access denied|bad license password',
  "no license files? found|can't (?:open|read) license (?:file|data)|no server to connect to",
  '(?:lmstat|lmutil) - copyright|flexible license manager status on',
];

/** What stays of a report log: the kinds of records, and the numbers at their ends. */
export const reportShapes: readonly string[] = [
  '^(?:RLM Report Log|START|PRODUCT|LICENSE FILE|INUSE|OUT|IN|DENY|END|TIMEZONE|AUTH|SHUTDOWN|SWITCH|LOG|QUE|DEQUE|REREAD)(?= |$)',
  String.raw`(?<= )\d{1,9} -?\d{1,5} -?\d{1,5}(?= \d{1,2}\/\d{1,2} )`,
  String.raw`(?<= )\d{1,2}\/\d{1,2} \d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,4})?)?(?=\s{0,9}$)`,
];

/** The words that may stay. */
export const vocabulary: Vocabulary = {
  words: `
    a all and any are as at authentication authorised authorized bad based build can cannot checkins checkout checkouts comm
    communication connect connecting connection connections copyright could count currently debug denials denied does error
    expired failed feature file filename files find for found from handle has host hostname if in inc info init inuse is isv
    isvs license licenses log lost messages min_remove name network no not obsolete of on open or password path permission
    permanent please pool port process product read recent refused removals report reprise request reservations reserved
    resolve restarts rights rlm rlmstat rlmutil running sec seconds server servers service setting software startup stats
    statistics status stopped system that the time timed to today todays token total uncounted unknown unlimited up usage use
    used user users version was with yes you your`,
  names: [],
};

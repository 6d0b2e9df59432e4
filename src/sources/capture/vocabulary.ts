/**
 * The words that the tools of license managers print, and keywords of their files, in lower case. In a capture, all other
 * words are replaced, unless they are names of features or vendor daemons.
 */
const WORDS = `
a administrator all also an and any are as at attempt available be been but by can cannot could do does error errors failed
for from getting give has have if in information invalid is it its license licenses license licenses licensed listed lists
may message messages more must no not note nothing of on only or other out over path please reached read reading reads
reason recommended refer refused request requests reserved rights see set setting should some than that the there this
time timed to try type unable unknown up use used user users valid version was were when will with you your

mon tue wed thu fri sat sun monday tuesday wednesday thursday friday saturday sunday
jan feb mar apr may jun jul aug sep oct nov dec am pm utc gmt cet cest est edt

acresso c company copyright corp corporation europe flexera flexlm flexnet globetrotter inc limited llc ltd macrovision
publisher reprise software

address allowed application bad borrow borrowed busy call check checkout checked checking clock close closed code codes comm
command communication communications conflict connect connected connecting connection connections contact count counted data
date days dat demo denied desired detecting directory display displays documentation does down due encryption env environment
exceeded exist exists expanded expiration expire expired expires expiry feature features file filename files find floating
flexible following format found further group groups handle handshake heartbeat host host_group hostid hostname hours id
incorrect increment internet interrupted issued job key later lic linger listening lmadmin lmgrd lmhostid lmstat lmutil
local locked log lost machine manager many master maximum minutes missing name named network node nodelocked now number
numbers obtain old open operation options package password pc permanent permission pid pool port ports process processes
progress project protocol queue queued quorum re redundant reread reservation reservations reset respond responding response
restart restarted running second seconds secs serve served server servers service shared shutdown since size socket start
started starting startup stat state status stop stopped such supplied support supported system table temporarily
terminated text instead reporting usr opt var etc home tmp that timeout timeouts too total uncounted uninitialized unsupported usage vendor vendor_string waiting
wait warning windows wrong year years

isv isvs rlm rlmstat rlmutil exe init recent stats statistics today todays s sec total yes inuse exp obsolete min_remove
checkouts checkins denials removals unlimited token based build debug report info authentication authorised authorized access
resolve dns currently restarts infinity nc

daemon daemons increment upgrade use_server featureset borrow start issued dup_group overdraft sort supersede components
suite issuer notice sign sign2 serial sn vendor_info dist_info user_info asset_info platforms hostids ts_ok superseded
reserve include exclude includeall excludeall max max_borrow_hours max_overdraft timeoutall nolog reportlog debuglog
groupcaseinsensitive fqdn_matching automatic_reread linger true false null nan

timestamp logfile rotated rotating exiting exited checkin expiring licensing reached already date greater imported shutting
`;

const words: ReadonlySet<string> = new Set(WORDS.split(/\s+/).filter((word) => word !== ''));

export const isToolWord = (word: string): boolean => words.has(word.toLowerCase());

/** A room: a folder of src, or a file directly in it. */
interface Room {
  /** Rooms never import from a higher floor. */
  readonly floor: number;
  /** What every other room can rely on. */
  readonly promise: string;
  /** `all`: every room up to its own floor. */
  readonly mayImport: readonly string[] | 'all';
}

/** The rooms of src: the one table for the imports that are allowed and for docs/developers/architecture.md. */
export const rooms: Readonly<Record<string, Room>> = {
  model: {
    floor: 0,
    promise:
      'The words of the exporter: records, snapshot, observations, failure kinds. It reads no clock, file or socket.',
    mayImport: ['query-api'],
  },
  'query-api': {
    floor: 0,
    promise: 'The contract with the analyzer is written once: endpoints, parameters, fields and their meanings.',
    mayImport: [],
  },
  ntlm: { floor: 0, promise: 'NTLM as bytes and states, for both sides. It opens no socket.', mayImport: ['model'] },
  storage: {
    floor: 0,
    promise:
      'A storage directory has one owner, and a file in it holds the old state or the new one, never a part of it.',
    mayImport: ['model', 'scheduling'],
  },
  scheduling: {
    floor: 0,
    promise: 'Long work is split into slices, concurrent work is limited, and setting the clock changes no age.',
    mayImport: [],
  },
  html: {
    floor: 0,
    promise: 'Every page has one frame, one style and one Content-Security-Policy. A name is text, never markup.',
    mayImport: ['model'],
  },
  settings: {
    floor: 0,
    promise: 'A setting is a type with bounds and a meaning. A wrong value is refused with the values that are right.',
    mayImport: ['model', 'scheduling'],
  },
  config: {
    floor: 3,
    promise:
      'A configuration is valid as a whole, or refused with every problem and its line. Secrets print as `<secret>`.',
    mayImport: ['model', 'query-api', 'settings', 'alerts', 'sources', 'pages'],
  },
  inventory: {
    floor: 1,
    promise:
      'Only this room knows the wire format and decides what is known now. A row never changes. Each reader can fail alone.',
    mayImport: ['model', 'query-api', 'scheduling'],
  },
  client: {
    floor: 1,
    promise: 'No logon locks the account. No request waits for the decoding of another one.',
    mayImport: ['model', 'query-api', 'ntlm', 'inventory', 'storage'],
  },
  analyzer: {
    floor: 1,
    promise:
      'A complete server of the Query API. Over HTTP, only authenticated requests get an answer; a gap is no data, never 0.',
    mayImport: ['model', 'query-api', 'ntlm', 'scheduling', 'storage'],
  },
  archive: {
    floor: 2,
    promise:
      'A database has the history too, and gives back what is missing here. Nothing waits for it: without it, only a gauge and an alert tell.',
    mayImport: ['model', 'analyzer'],
  },
  rightsizing: {
    floor: 1,
    promise:
      'Advice on the number of licenses says no more than the recorded figures show, and names why there is no advice.',
    mayImport: ['model', 'scheduling', 'storage', 'inventory'],
  },
  sources: {
    floor: 2,
    promise:
      'Each source is read within its own time and limits, and becomes an observation, or a failure that names the remedy. A failing one disturbs no other, and leaves no process behind.',
    mayImport: ['model', 'query-api', 'scheduling', 'settings'],
  },
  metrics: {
    floor: 2,
    promise: 'A scrape sends no request to the analyzer and never shows half of an update.',
    mayImport: ['model', 'query-api', 'inventory', 'scheduling'],
  },
  alerts: {
    floor: 2,
    promise: 'Missing data neither raises nor resolves an alert, and a restart forgets none.',
    mayImport: ['model', 'inventory', 'storage', 'scheduling', 'settings'],
  },
  messages: {
    floor: 2,
    promise:
      'Each alert reaches its people once, also after a crash. What cannot be delivered is kept, and the log and /metrics say so.',
    mayImport: ['model', 'alerts', 'storage', 'scheduling', 'html', 'expiries'],
  },
  poll: {
    floor: 2,
    promise: 'No endpoint delays the schedule of another one, and a failed part keeps its last good data.',
    mayImport: ['model', 'inventory', 'client', 'scheduling'],
  },
  datasource: {
    floor: 2,
    promise: 'An answer to Grafana is complete, or says what is missing. Panels cannot hold up polling.',
    mayImport: ['model', 'client', 'query-api', 'inventory', 'scheduling', 'rightsizing'],
  },
  expiries: {
    floor: 2,
    promise: 'A list of expiries is complete, or says which are missing. A name cannot break its format.',
    mayImport: ['model', 'inventory', 'scheduling'],
  },
  pages: {
    floor: 2,
    promise:
      'A person sees what is known now, and what is not. Every path is in one table. A page is written without other programs.',
    mayImport: ['model', 'html', 'inventory', 'scheduling', 'datasource', 'alerts', 'expiries', 'rightsizing'],
  },
  web: {
    floor: 2,
    promise: 'The same users and limits protect every path, and no client can block the others.',
    mayImport: ['model', 'html'],
  },
  exchange: {
    floor: 3,
    promise:
      'What other programs recorded comes into the history, and what it has goes out: each figure once, and what a text does not tell stays unknown.',
    mayImport: ['model', 'analyzer', 'sources', 'rightsizing'],
  },
  diagnosis: {
    floor: 3,
    promise:
      'The first failed step names the mistake of the operator, with its remedy. No step sends a logon that is not counted, or an alert.',
    mayImport: 'all',
  },
  app: { floor: 3, promise: 'Wires the rooms and does nothing else.', mayImport: 'all' },
  commands: { floor: 4, promise: 'One function for each command; it returns the exit code.', mayImport: 'all' },
  'main.ts': {
    floor: 5,
    promise:
      'The process: arguments, environment, signals, log, exit code. Only `launch.js` and `start.ts` touch any of them too.',
    mayImport: ['commands', 'app', 'model'],
  },
  'start.ts': { floor: 5, promise: 'What is imported after it comes from the compile cache.', mayImport: ['main.ts'] },
  'launch.js': {
    floor: 5,
    promise: 'Every version of Node can read it, so that an older one is refused with a clear message.',
    mayImport: ['start.ts'],
  },
};

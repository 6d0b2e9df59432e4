/** A folder of a wing. */
interface Room {
  /** What every other room can rely on. */
  readonly promise: string;
  /** The rooms of its own wing that it may import. */
  readonly uses: readonly string[];
}

/** A folder of src. */
interface Wing {
  readonly promise: string;
  /** The wings that each of its rooms may import. */
  readonly uses: readonly string[];
  readonly rooms: Readonly<Record<string, Room>>;
}

/** Seven wings with their rooms: the one table for the imports that are allowed and for docs/developers/architecture.md. */
export const wings: Readonly<Record<string, Wing>> = {
  base: {
    promise: 'What all others say things with: words, contract, bytes, clocks, files. It knows no other wing.',
    uses: [],
    rooms: {
      'query-api': {
        promise: 'The contract with the analyzer is written once: endpoints, parameters, fields and their meanings.',
        uses: [],
      },
      model: {
        promise:
          'The words of the exporter: records, snapshot, observations, failure kinds. It reads no clock, file or socket.',
        uses: ['query-api'],
      },
      ntlm: { promise: 'NTLM as bytes and states, for both sides. It opens no socket.', uses: [] },
      scheduling: {
        promise: 'Long work is split into slices, concurrent work is limited, and setting the clock changes no age.',
        uses: [],
      },
      storage: {
        promise:
          'A storage directory has one owner, and a file in it holds the old state or the new one, never a part of it.',
        uses: ['model', 'scheduling', 'settings'],
      },
      html: {
        promise: 'Every page has one frame, one style and one Content-Security-Policy. A name is text, never markup.',
        uses: ['model'],
      },
      settings: {
        promise:
          'A setting is a type with bounds and a meaning. A wrong value is refused with the values that are right.',
        uses: ['model', 'scheduling'],
      },
      files: {
        promise:
          'A file that an operator names is read, or refused with the reason. TLS files are read again when they change.',
        uses: ['model', 'settings'],
      },
    },
  },
  exporter: {
    promise: 'From the analyzer to /metrics: what is known now, and nothing that is not.',
    uses: ['base'],
    rooms: {
      client: {
        promise: 'No logon locks the account. No request waits for the decoding of another one.',
        uses: ['inventory'],
      },
      inventory: {
        promise:
          'Only this room knows the wire format and decides what is known now. A row never changes. Each reader can fail alone.',
        uses: [],
      },
      poll: {
        promise: 'No endpoint delays the schedule of another one, and a failed part keeps its last good data.',
        uses: ['client', 'inventory'],
      },
      metrics: {
        promise: 'A scrape sends no request to the analyzer and never shows half of an update.',
        uses: ['inventory'],
      },
    },
  },
  alerting: {
    promise: 'What fires, and who is told.',
    uses: ['base', 'exporter'],
    rooms: {
      alerts: { promise: 'Missing data neither raises nor resolves an alert, and a restart forgets none.', uses: [] },
      expiries: {
        promise: 'A list of expiries is complete, or says which are missing. A name cannot break its format.',
        uses: [],
      },
      messages: {
        promise:
          'Each alert reaches its people once, also after a crash. What cannot be delivered is kept, and the log and /metrics say so.',
        uses: ['alerts', 'expiries'],
      },
    },
  },
  analyzer: {
    promise: 'A whole analyzer: from license managers, or a simulated site, to answers of the Query API.',
    uses: ['base'],
    rooms: {
      history: { promise: 'What was observed is kept, and a gap is no data, never 0.', uses: [] },
      blocked: {
        promise:
          'A person who waits counts once, also if several logs and hosts name that person, and their clocks differ a little. No name is kept, and no figure says who.',
        uses: ['history'],
      },
      server: {
        promise: 'A complete server of the Query API. Over HTTP, only authenticated requests get an answer.',
        uses: ['blocked', 'history'],
      },
      simulated: {
        promise: 'A site for the demo, the same on each start with one seed.',
        uses: ['blocked', 'history'],
      },
      sources: {
        promise:
          'Each source is read within its own time and limits, and becomes an observation, or a failure that names the remedy. A failing one disturbs no other, and leaves no process behind.',
        uses: ['blocked'],
      },
      archive: {
        promise:
          'A database has the history too, and gives back what is missing here. Nothing waits for it: without it, only a gauge and an alert tell.',
        uses: ['history'],
      },
      exchange: {
        promise:
          'What other programs recorded comes into the history, and what it has goes out: each figure once, and what a text does not tell stays unknown.',
        uses: ['blocked', 'history', 'sources'],
      },
    },
  },
  insight: {
    promise: 'What the figures mean: advice says no more than they show.',
    uses: ['base', 'exporter'],
    rooms: {
      'advice/method': {
        promise: 'Advice on the number of licenses from recorded demand, or the reason why it cannot be given.',
        uses: [],
      },
      'advice/pass': {
        promise: 'The advice on all features, computed once a night, kept, and shown as it was computed.',
        uses: ['advice/method'],
      },
      contracts: {
        promise: 'By when to act on which licenses, worth how much, and whose they are. No value is counted twice.',
        uses: ['advice/method', 'advice/pass'],
      },
    },
  },
  site: {
    promise: 'Who asks, and what they see.',
    uses: ['base', 'exporter', 'alerting', 'insight'],
    rooms: {
      web: {
        promise: 'The same users and limits protect every path, and no client can block the others.',
        uses: [],
      },
      'grafana/answers': { promise: 'An answer to Grafana is complete, or says what is missing.', uses: [] },
      'grafana/protocols': {
        promise: 'Both protocols of Grafana get the same answers. Panels cannot hold up polling.',
        uses: ['grafana/answers'],
      },
      pages: {
        promise:
          'A person sees what is known now, and what is not. Every path is in one table. A page is written without other programs.',
        uses: ['web', 'grafana/answers', 'grafana/protocols'],
      },
    },
  },
  program: {
    promise: 'One process out of all of it.',
    uses: ['base', 'exporter', 'alerting', 'analyzer', 'insight', 'site'],
    rooms: {
      log: { promise: 'A line of the log has the same fields in each format, and no secret.', uses: [] },
      config: {
        promise:
          'A configuration is valid as a whole, or refused with every problem and its line. Secrets print as `<secret>`.',
        uses: ['log'],
      },
      app: { promise: 'Wires the wings and does nothing else.', uses: ['config'] },
      diagnosis: {
        promise:
          'The first failed step names the mistake of the operator, with its remedy. No step sends a logon that is not counted, or an alert.',
        uses: ['config', 'app'],
      },
      commands: {
        promise: 'One function for each command; it returns the exit code.',
        uses: ['config', 'app', 'diagnosis'],
      },
    },
  },
};

/** The files directly in src, and what each of them may import. */
export const startFiles: Readonly<Record<string, { readonly promise: string; readonly uses: readonly string[] }>> = {
  'main.ts': {
    promise:
      'The process: arguments, environment, signals, log, exit code. Only `launch.js` and `start.ts` touch any of them too.',
    uses: ['program', 'base'],
  },
  'start.ts': { promise: 'What is imported after it comes from the compile cache.', uses: ['main.ts'] },
  'launch.js': {
    promise: 'Every version of Node can read it, so that an older one is refused with a clear message.',
    uses: ['start.ts'],
  },
};

/** Who can read a path: users of the web config, all clients, or those who may change the daemon. */
export type Readers = 'users' | 'clients' | 'operators';

/** What the listings of paths say about one: the documentation, and the first page. */
export interface ListedPath {
  readonly path: string;
  /** In Markdown without links; the first page shows it too if it lists the path. */
  readonly about: string;
  readonly methods: 'GET, HEAD' | 'GET, HEAD, POST' | 'POST, PUT';
  readonly readers: Readers;
}

/** The paths that the listener answers itself. The settings can change that of the metrics. */
export const listenerPaths = {
  metrics: {
    path: '/metrics',
    about: 'Metrics, in the text format or OpenMetrics.',
    methods: 'GET, HEAD',
    readers: 'users',
  },
  healthy: { path: '/-/healthy', about: 'Whether the process answers.', methods: 'GET, HEAD', readers: 'clients' },
  ready: { path: '/-/ready', about: 'Whether the first poll has ended.', methods: 'GET, HEAD', readers: 'clients' },
  reload: { path: '/-/reload', about: 'Reloads the configuration.', methods: 'POST, PUT', readers: 'operators' },
} as const satisfies Readonly<Record<string, ListedPath>>;

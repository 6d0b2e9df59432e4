// The files of undici that are used. Its main file also loads fetch, caches, mocks and proxies: a third of the program.

declare module 'undici/lib/api/api-request.js' {
  import type { Dispatcher } from 'undici';

  /** `this.request(options)`, which only the main file adds to dispatchers. */
  export default function request(
    this: Dispatcher,
    options: Dispatcher.RequestOptions,
  ): Promise<Dispatcher.ResponseData>;
}
declare module 'undici/lib/core/connect.js' {
  export { buildConnector as default } from 'undici';
}
declare module 'undici/lib/core/errors.js' {
  import { errors } from 'undici';

  export default errors;
}
declare module 'undici/lib/dispatcher/agent.js' {
  export { Agent as default } from 'undici';
}
declare module 'undici/lib/dispatcher/client.js' {
  export { Client as default } from 'undici';
}
declare module 'undici/lib/dispatcher/dispatcher.js' {
  export { Dispatcher as default } from 'undici';
}

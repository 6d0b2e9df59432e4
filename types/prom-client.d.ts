// The files of prom-client that are used. Its main file also loads OpenTelemetry and what wakes the process.

declare module 'prom-client/lib/counter.js' {
  export { Counter as default } from 'prom-client';
}
declare module 'prom-client/lib/gauge.js' {
  export { Gauge as default } from 'prom-client';
}
declare module 'prom-client/lib/histogram.js' {
  export { Histogram as default } from 'prom-client';
}
declare module 'prom-client/lib/registry.js' {
  export { Registry as default } from 'prom-client';
}
declare module 'prom-client/lib/metrics/*.js' {
  import type { Registry } from 'prom-client';

  /** Registers metrics of the process. */
  export default function register(registry: Registry): void;
}

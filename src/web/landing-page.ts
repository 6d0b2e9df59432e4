interface LandingPageOptions {
  readonly telemetryPath: string;
  /** A path of another room, and its description. */
  readonly mounts: readonly { readonly path: string; readonly about: string | undefined }[];
  readonly version: string;
  readonly demo: boolean;
}

/** The page at `/`, with links to all other pages. */
export function landingPage({ telemetryPath, mounts, version, demo }: LandingPageOptions): string {
  const shown = mounts.filter(({ about }) => about !== undefined);
  const mounted = shown.map(({ path, about }) => `<dt><a href="${path}">${path}</a></dt><dd>${about}</dd>\n`).join('');
  const banner = demo ? '<p class="demo">Simulated data: this is the demo, no license server is monitored.</p>' : '';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>license-exporter</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 42rem; margin: 3rem auto; padding: 0 1rem; color: #1c2430; }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; }
.demo { background: #fff3cd; border-left: 4px solid #d39e00; padding: .6rem .8rem; }
dt { font-weight: 600; margin-top: .8rem; } dd { margin: 0; color: #4a5568; }
code { background: #eef1f5; padding: .1rem .3rem; border-radius: 3px; }
footer { margin-top: 2rem; color: #718096; font-size: .85rem; }
</style>
</head>
<body>
<h1>license-exporter</h1>
<p>Usage and expiry of floating licenses for Prometheus, Alertmanager and Grafana, from the License Monitoring Query API.</p>
${banner}
<dl>
<dt><a href="${telemetryPath}">${telemetryPath}</a></dt><dd>Metrics, in the text format or OpenMetrics.</dd>
${mounted}<dt><a href="/-/healthy">/-/healthy</a></dt><dd>Whether the process answers.</dd>
<dt><a href="/-/ready">/-/ready</a></dt><dd>Whether the first poll has ended.</dd>
</dl>
<footer>Version ${version}</footer>
</body>
</html>
`;
}

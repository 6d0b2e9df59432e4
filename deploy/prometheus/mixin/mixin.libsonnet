// The rules and dashboards of license-exporter for jsonnet-bundler and mixtool. license-alerts.json is made by `npm run rules`.
{
  // the alerts read what the other rules of their group record
  prometheusAlerts+:: import 'license-alerts.json',
  grafanaDashboards+:: {
    'license-expirations.json': (import '../../../grafana/json/license-expirations.json'),
    'license-exporter.json': (import '../../../grafana/json/license-exporter.json'),
    'license-feature.json': (import '../../../grafana/json/license-feature.json'),
    'license-holders.json': (import '../../../grafana/json/license-holders.json'),
    'license-optimisation.json': (import '../../../grafana/json/license-optimisation.json'),
    'license-overview.json': (import '../../../grafana/json/license-overview.json'),
    'license-vendor-license.json': (import '../../../grafana/json/license-vendor-license.json'),
  },
}

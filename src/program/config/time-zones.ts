import { realpathSync } from 'node:fs';
import type { ConfigSettings } from './config-settings.ts';
import { hasAnalyzer, hasSources } from './upstream-analyzer.ts';

/** What the standard calls a zone. Undefined for a name that it does not have. */
function nameOf(zone: string | undefined): string | undefined {
  if (zone === undefined) return undefined;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en-US', { timeZone: zone }).resolvedOptions();
    // an offset is no zone: its clock would never change
    return /^[+-]|^Etc\/Unknown$/.test(timeZone) ? undefined : timeZone;
  } catch {
    return undefined;
  }
}

/** The zone of a file of the time zone database, by its path. */
function nameOfFile(path: string): string | undefined {
  try {
    return nameOf(/\/zoneinfo\/(?:posix\/|right\/)?(.+)$/.exec(realpathSync(path))?.[1]);
  } catch {
    return undefined;
  }
}

/** The time zone of this host, or what says it without a name. */
type HostZone = { readonly name: string } | { readonly unnamed: string };

/**
 * An empty `TZ` is UTC (POSIX). A rule such as `CET-1CEST,M3.5.0,M10.5.0/3` has no name, and the runtime takes it for UTC.
 *
 * @param written the variable `TZ`
 */
export function readHostZone(written: string | undefined, localtime = '/etc/localtime'): HostZone {
  if (written === undefined) {
    const name = nameOf(Intl.DateTimeFormat().resolvedOptions().timeZone) ?? nameOfFile(localtime);
    return name === undefined ? { unnamed: localtime } : { name };
  }
  const zone = written.replace(/^:/, '').trim();
  if (zone === '') return { name: 'UTC' };
  const name = zone.startsWith('/') ? nameOfFile(zone) : nameOf(zone.replace(/^(?:posix|right)\//, ''));
  return name === undefined ? { unnamed: `TZ=${written}` } : { name };
}

/** The zone of a setting, else that of the host, which must then have a name. */
function zoneOf(settings: ConfigSettings, key: 'datasource.time_zone' | 'embedded_analyzer.time_zone'): string {
  const configured = settings.value(key);
  if (configured !== undefined || settings.isInvalid(key)) return configured ?? 'UTC';
  const host = readHostZone(settings.options.env.TZ);
  if ('name' in host) return host.name;
  settings.refuse(
    key,
    `is required, because the time zone of this host (${host.unnamed}) has no name; set it, for example to Europe/Berlin`,
  );
  return 'UTC';
}

/** The time zones of the days of our own analyzer, and of those of the analyzer that is read. */
export function timeZonesOf(settings: ConfigSettings): { readonly own: string; readonly read: string } {
  const isOwn = hasSources(settings) || !hasAnalyzer(settings);
  if (!isOwn) {
    const read = zoneOf(settings, 'datasource.time_zone');
    return { own: settings.value('embedded_analyzer.time_zone') ?? read, read };
  }
  const own = zoneOf(settings, 'embedded_analyzer.time_zone');
  const read = settings.value('datasource.time_zone') ?? own;
  if (read !== own && hasSources(settings)) {
    settings.warnings.add(
      `datasource.time_zone is ${read}, but the days of the embedded analyzer are those of ${own}: expiries can be a day off; set embedded_analyzer.time_zone too, or neither`,
    );
  }
  return { own, read };
}

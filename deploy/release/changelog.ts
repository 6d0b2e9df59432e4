/** The releases that CHANGELOG.md describes, in the form of the changelog of Prometheus. */

/** The kinds of a line, in the order in which a section has them. */
export const lineKinds = ['CHANGE', 'FEATURE', 'ENHANCEMENT', 'PERF', 'SECURITY', 'BUGFIX'] as const;

/** One section: `## 0.2.0 / 2026-11-23`, or `## Unreleased`, which has no date. */
export interface Release {
  readonly version: string;
  /** ISO 8601 date, `undefined` while it is not released. */
  readonly date: string | undefined;
  readonly lines: readonly string[];
}

/** The sections of a changelog, in its order. */
export function releasesOf(changelog: string): Release[] {
  return changelog
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [heading = '', ...lines] = section.split('\n');
      const [version = '', date] = heading.trim().split(' / ');
      return { version, date, lines: lines.filter((line) => line !== '') };
    });
}

/** The notes of one release. Throws an error with the remedy if the changelog has no section of it with a date. */
export function releaseNotes(changelog: string, version: string): string {
  const releases = releasesOf(changelog);
  const release = releases.find((section) => section.version === version);
  if (release?.date === undefined) {
    const known = releases.filter(({ date }) => date !== undefined).map((section) => section.version);
    throw new Error(
      `CHANGELOG.md has no released version "${version}": it has ${known.join(', ') || 'none'}. ` +
        `Begin its section with \`## ${version} / YYYY-MM-DD\`.`,
    );
  }
  return `# license-exporter ${version} / ${release.date}\n\n${release.lines.join('\n')}\n`;
}

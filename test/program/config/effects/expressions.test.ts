import { describe, expect, it } from 'vitest';
import { runAtOnce } from '../../../../src/base/scheduling/slices.ts';
import { lookAt } from '../../../../src/program/config/effects/effect.ts';
import { globProblem, selectingParts } from '../../../../src/program/config/effects/expressions.ts';

/** What is said of a pair of lists without a site. */
function saidOf(include: readonly string[], exclude: readonly string[]): readonly string[] {
  const parts = selectingParts({
    include: include.map((text) => new RegExp(text, 'u')),
    exclude: exclude.map((text) => new RegExp(text, 'u')),
    key: 'select',
    where: (list, i) => `${list}:${i}`,
    findIncluded: () => 'some',
    findExcluded: () => 'some',
  });
  const known = { owners: [], users: undefined, site: undefined };
  return runAtOnce(lookAt(parts, known)).problems.map(({ key }) => key);
}

describe('a pattern of another kind', () => {
  it.each([
    ['solver*', 'solver.*'],
    ['lic01;*', 'lic01;.*'],
    ['^a-*_b*$', '^a-.*_b.*$'],
    ['\\.x*', '\\.x.*'],
  ])('%s is probably %s', (written, meant) => {
    expect(globProblem(written)).toContain(`write ${JSON.stringify(meant)} `);
  });

  it.each(['solver.*', '^.*$', '[a-z]*', '\\w*', '(ab)*', 'a\\*', 'x{2}', '[a*]b', 'lic\\d*;x'])(
    '%s is as it should be',
    (written) => {
      expect(globProblem(written)).toBeUndefined();
    },
  );
});

describe('an exclusion swallows an inclusion', () => {
  it.each([
    ['lic01', 'lic01'],
    ['lic01;cadd', 'lic01'],
    ['^lic01;cadd$', '^lic'],
    ['^lic01', 'lic0\\d'],
    ['a\\.b', '\\.'],
    ['(x|y)z', '.*'],
    ['anything', ''],
    ['x|y', '^'],
    ['x|y', '$'],
    ['x|y', '^.*$'],
  ])('%s by %s', (include, exclude) => {
    expect(saidOf([include], [exclude])).toEqual(['select.include[0]']);
  });

  it.each([
    ['lic01', 'lic01;cadd'],
    ['lic01', '^lic01'],
    ['lic', 'lic$'],
    ['lic0.', 'lic01'],
    ['lic01', 'lic(?!01)'],
    ['cadd', '\\bcadd'],
    ['lic', '^$'],
  ])('but not %s by %s', (include, exclude) => {
    expect(saidOf([include], [exclude])).toEqual([]);
  });
});

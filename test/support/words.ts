/** Words and phrasings that are not ours, and what stands in their place. */
export const foreignWords: readonly (readonly [found: RegExp, instead: string])[] = [
  [/\bjudge[sd]?\b|\bjudge?ments?\b|\bjudging\b/i, 'evaluate, result'],
  [/\bblind\b/i, 'no data'],
  [/\btold\b|\btell(s|ing)? (alerts|alertmanager|its)\b/i, 'reported, sent, notified'],
  [/\bwhoever\b|\bwhomever\b/i, 'name the one who acts'],
  [/\bh(e|o)ld against\b/i, 'checked against'],
  [/\bnothing but\b/i, 'only'],
  [/\bmanner\b/i, 'way'],
  [/\bmend(s|ed|ing)?\b/i, 'fix, correct'],
  [/\bold news\b/i, 'outdated'],
  [/\blook(s|ed)? after\b/i, 'handle, monitor'],
  [/\bare none\b/i, 'are ignored'],
  [/\bin the place of\b/i, 'instead of'],
  [/\bmade up for\b/i, 'compensated'],
  [/\bso many (seconds|bytes|days)\b/i, 'name the parameter'],
];

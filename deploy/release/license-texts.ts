/** Recognises the license of a text by the sentences that only this license has. */

const has =
  (...sentences: readonly string[]) =>
  (text: string): boolean =>
    sentences.every((sentence) => text.includes(sentence));

const mit = 'permission is hereby granted, free of charge, to any person obtaining a copy';
const mitCondition = 'permission notice shall be included';
const isc = 'permission to use, copy, modify, and/or distribute this software for any purpose with or without fee';
const iscCondition = 'provided that the above copyright notice';
const bsd = 'redistribution and use in source and binary forms';
const bsdThird = 'endorse or promote products';

/** Licenses by SPDX identifier. Those that are not allowed are here because a text can contain several licenses. */
const signs: Readonly<Record<string, (text: string) => boolean>> = {
  MIT: has(mit, mitCondition),
  'MIT-0': (text) => text.includes(mit) && !text.includes(mitCondition),
  ISC: has(isc, iscCondition),
  '0BSD': (text) => text.includes(isc) && !text.includes(iscCondition),
  'BSD-3-Clause': has(bsd, bsdThird),
  'BSD-2-Clause': (text) => text.includes(bsd) && !text.includes(bsdThird),
  'Apache-2.0': has('apache license', 'version 2.0, january 2004'),
  'BlueOak-1.0.0': has('blue oak model license'),
  AGPL: has('gnu affero general public license'),
  LGPL: (text) => /gnu (lesser|library) general public license/.test(text),
  GPL: has('gnu general public license'),
  MPL: has('mozilla public license'),
  EPL: has('eclipse public license'),
  SSPL: has('server side public license'),
  BUSL: has('business source license'),
  'Commons-Clause': has('commons clause'),
  'CC-BY-NC': has('attribution-noncommercial'),
};

/** The licenses whose text is in this text, in no order. */
export function licensesIn(text: string): string[] {
  const plain = text.toLowerCase().replace(/\s+/g, ' ');
  return Object.keys(signs).filter((license) => signs[license]?.(plain));
}

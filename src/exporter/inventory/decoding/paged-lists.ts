import { Deserializer, Serializer } from 'node:v8';
import type { PagedList } from './asked-messages.ts';

/**
 * Long lists between two threads. A message with a million records would block the thread that receives it, because a
 * message is read as a whole. So they travel as bytes, whose memory is handed over, and are read in steps of a few items.
 */

/** Items that are read at once: for the largest records about 1 ms. */
const STEP = 100;
/** Lists up to this length are part of the message. */
const SHORT = 100;
/** Steps of a page: some hundred kilobytes. */
const STEPS = 50;

interface LongList {
  readonly place: unknown[];
  readonly items: readonly unknown[];
}

/** Empties the long lists within a value, and collects the columns of numbers. */
function takeApart(value: unknown, lists: LongList[], columns: ArrayBuffer[]): void {
  if (typeof value !== 'object' || value === null) return;
  if (value instanceof Float64Array) {
    columns.push(value.buffer as ArrayBuffer);
  } else if (Array.isArray(value) && value.length > SHORT) {
    lists.push({ place: value, items: value.splice(0) });
  } else {
    for (const item of Object.values(value)) takeApart(item, lists, columns);
  }
}

/** A page begins with the number of its steps. */
function* pagesOf(items: readonly unknown[]): Generator<Uint8Array> {
  for (let at = 0; at < items.length; at += STEP * STEPS) {
    const page = items.slice(at, at + STEP * STEPS);
    const serializer = new Serializer();
    serializer.writeHeader();
    serializer.writeUint32(Math.ceil(page.length / STEP));
    for (let from = 0; from < page.length; from += STEP) serializer.writeValue(page.slice(from, from + STEP));
    yield serializer.releaseBuffer();
  }
}

/**
 * Prepares an answer for its message.
 *
 * @param answer plain data and columns, which must not share memory; its long lists are emptied
 * @returns the long lists, and the memory that is transferred with the message
 */
export function packAnswer(answer: unknown): { lists: PagedList[]; memory: ArrayBuffer[] } {
  const [long, memory]: [LongList[], ArrayBuffer[]] = [[], []];
  takeApart(answer, long, memory);
  const lists = long.map(({ place, items }) => ({ place, pages: [...pagesOf(items)] }));
  for (const { pages } of lists) memory.push(...pages.map(({ buffer }) => buffer as ArrayBuffer));
  return { lists, memory };
}

/** Puts the items of long lists back into their places, in small steps. */
export function* fillLists(lists: readonly PagedList[]): Generator<void, void> {
  for (const { place, pages } of lists) {
    for (const page of pages) {
      const deserializer = new Deserializer(page);
      deserializer.readHeader();
      for (let steps = deserializer.readUint32(); steps > 0; steps -= 1) {
        for (const item of deserializer.readValue() as unknown[]) place.push(item);
        yield;
      }
    }
  }
}

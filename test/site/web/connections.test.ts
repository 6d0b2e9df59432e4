import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createConnections } from '../../../src/site/web/connections.ts';
import { webLimits } from '../../../src/site/web/limits.ts';

/** A connection with an answer on its way, as the system takes it over. */
function start() {
  let now = 0;
  const cuts: string[] = [];
  const socket = Object.assign(new EventEmitter(), {
    destroyed: false,
    writableEnded: false,
    bytesWritten: 0,
    writableLength: 0,
    resetAndDestroy: () => {
      socket.destroyed = true;
    },
  });
  let answers = 0;
  const connections = createConnections(
    webLimits,
    (reason) => cuts.push(reason),
    () => now,
    () => {
      answers += 1;
    },
  );
  const response = new EventEmitter();
  connections.inTurn(() => undefined)({ socket } as unknown as IncomingMessage, response as unknown as ServerResponse);
  return {
    cuts,
    socket,
    response,
    /** How many answers have begun. */
    answers: () => answers,
    /** Looks a number of times, a second apart. @returns whether anything is left to look at */
    pass: (seconds: number) => {
      let isLeft = true;
      for (let i = 0; i < seconds; i += 1) {
        now += 1_000;
        isLeft = connections.sweep(now);
      }
      return isLeft;
    },
  };
}

describe('an answer', () => {
  it('may be taken slowly, and is cut 30 s after the last byte', () => {
    const { cuts, socket, pass } = start();
    Object.assign(socket, { bytesWritten: 1_000_000, writableLength: 1_000_000 });
    for (let i = 0; i < 5; i += 1) {
      pass(25);
      socket.writableLength -= 1_000;
    }
    pass(30);
    expect(cuts).toEqual([]);
    pass(1);
    expect([cuts, socket.destroyed]).toEqual([['stalled'], true]);
  });

  it('is not stalled while it is being made, and is cut after 5 min', () => {
    const { cuts, socket, pass } = start();
    pass(299);
    expect(cuts).toEqual([]);
    pass(1);
    expect([cuts, socket.destroyed]).toEqual([['too_long'], true]);
  });

  it('is forgotten when it is over: then nothing is left to look at', () => {
    const { cuts, response, pass, answers } = start();
    expect([answers(), pass(1)]).toEqual([1, true]);
    response.emit('close');
    expect([answers(), pass(1_000)]).toEqual([1, false]);
    expect(cuts).toEqual([]);
  });
});

/** Methods that are passed on without their object. `test/compiler.test.ts` finds each by its name, but for what only looks similar. */

class Counter {
  #counted = 0;

  readonly bound = (): void => this.count();

  count(): void {
    this.#counted += 1;
  }
}

const counter = new Counter();

type Use = (count: () => void) => void;

/** Ways to pass on a method. */
export const passed: Readonly<Record<string, (use: Use) => void>> = {
  'counter.count': (use) => use(counter.count),
  count: (use) => {
    const { count } = counter;
    use(count);
  },
  'right: called': (use) => use(() => counter.count()),
  'right: an arrow function': (use) => use(counter.bound),
};

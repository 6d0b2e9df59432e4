/** Data that not every user may see: names of license users, and prices. For the user of one request. */
export interface Confidential {
  /** Why it is not served; `undefined` if it is. */
  readonly refusal: () => string | undefined;
  /** Called with the number of names or prices of each answer that has been made. */
  readonly onServed: (count: number) => void;
}

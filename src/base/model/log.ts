/** The log interface of all rooms: a static text, and data in fields. `main.ts` creates the implementation. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Where the service says what happens in it; pino is one. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** Is told of secrets that the server has: none of them may stand in what is said from now on. */
  conceal?(secrets: readonly string[]): void;
}

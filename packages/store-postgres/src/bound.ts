import type { Connection, Submittable } from "pg";

/**
 * A statement without an answer, sent as the messages that it is made of. They are made when it is its turn: the server has then read
 * all that was sent before, so that the same memory can be written again.
 */
export class Bound implements Submittable {
  callback: (error: Error | null) => void;
  readonly #make: () => Buffer;

  constructor(make: () => Buffer, callback: (error: Error | null) => void) {
    this.#make = make;
    this.callback = callback;
  }

  submit(connection: Connection): void {
    // Of one that is about to end the driver tells when it has.
    if (connection.stream.writable) connection.stream.write(this.#make());
  }

  handleError(error: Error): void {
    this.callback(error);
  }

  handleReadyForQuery(): void {
    this.callback(null);
  }

  // What it answers is not looked at.
  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
}

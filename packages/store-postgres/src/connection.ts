import { createHash } from "node:crypto";
import { Client, DatabaseError, type ClientConfig } from "pg";
import { NotConnected, isLost } from "./failures.ts";

/** The codes with which a server or pooler reports that it did not keep a prepared statement. */
const NOT_PREPARED: readonly unknown[] = ["26000", "42P05", "0A000"];

interface ConnectionOptions {
  /** Whether to prepare statements in the server. Ends when a pooler loses one. */
  readonly prepare: boolean;
}

/** One connection that reconnects when it is lost. Send one statement at a time. */
export class Connection {
  readonly #config: ClientConfig;
  readonly #names = new Map<string, string>();
  #current: Promise<Client> | undefined;
  #prepares: boolean;

  constructor(config: ClientConfig, { prepare }: ConnectionOptions) {
    this.#config = config;
    this.#prepares = prepare;
  }

  /** Sends one statement, once. Throws the server's error, or NotConnected if nothing was sent. */
  async send(text: string, values: readonly unknown[]): Promise<readonly unknown[]> {
    const client = await (this.#current ??= this.#connect());
    const statement = this.#prepares ? { name: this.#nameOf(text), text } : { text };
    try {
      const { rows } = await client.query<object>({ ...statement, values: [...values] });
      return rows;
    } catch (error) {
      const answered = error instanceof DatabaseError;
      // The state of the connection is only known after an answer of the server.
      if (!answered || isLost(error)) {
        this.#current = undefined;
        client.end().catch(() => {});
      }
      if (!answered || !this.#prepares || !NOT_PREPARED.includes(error.code)) throw error;
      // The server refused the statement, so nothing was done and it is safe to send it again.
      this.#prepares = false;
      return this.send(text, values);
    }
  }

  async end(): Promise<void> {
    const client = await this.#current?.catch(() => undefined);
    await client?.end();
  }

  #connect(): Promise<Client> {
    const client = new Client(this.#config);
    const forget = (): void => {
      if (this.#current === connecting) this.#current = undefined;
    };
    const connecting = client.connect().then(
      () => client,
      (error: unknown) => {
        forget();
        client.end().catch(() => {});
        throw new NotConnected(error);
      },
    );
    // An idle connection can be lost without an error. The next statement reports it.
    client.on("error", forget).on("end", forget);
    return connecting;
  }

  // The digest keeps statements of different schemas apart on a connection that a pooler shares.
  #nameOf(text: string): string {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    const name = `${/\w+(?=\()/.exec(text)?.[0] ?? "bylaw"}_${createHash("sha256").update(text).digest("hex").slice(0, 24)}`;
    this.#names.set(text, name);
    return name;
  }
}

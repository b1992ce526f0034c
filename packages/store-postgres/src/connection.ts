import { createHash } from "node:crypto";
import { Client, DatabaseError, type ClientConfig } from "pg";
import { NotConnected, isLost } from "./failures.ts";

/** A server or pooler answers these codes where it does not keep prepared statements for this connection. */
const NOT_PREPARED: readonly unknown[] = ["26000", "42P05", "0A000"];

interface ConnectionOptions {
  /** Keep statements prepared in the server, until a pooler turns out to lose them. */
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

  /** Sends one statement, once. Throws what the server answers, and NotConnected where nothing was sent. */
  async send(text: string, values: readonly unknown[]): Promise<readonly unknown[]> {
    const client = await (this.#current ??= this.#connect());
    const statement = this.#prepares ? { name: this.#nameOf(text), text } : { text };
    try {
      const { rows } = await client.query<object>({ ...statement, values: [...values] });
      return rows;
    } catch (error) {
      const answered = error instanceof DatabaseError;
      // Only an answer of the server leaves the connection in a known state.
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
    // An idle connection may be lost without an error; the next statement reports it.
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

import { createHash } from "node:crypto";
import { Client, DatabaseError, type ClientConfig } from "pg";
import { Bound } from "./bound.ts";
import { NotConnected, isLost } from "./failures.ts";
import { createLimit } from "./limit.ts";
import { createMessage, type Message, type Parameters } from "./message.ts";

/** One connection, made when it is needed and made again when it was lost. Who uses it waits for one answer before the next question. */
export interface Lane {
  /** Sends one statement, once. Throws what the server says, and NotConnected where nothing was sent. */
  send(text: string, values: readonly unknown[]): Promise<readonly unknown[]>;
  /** Like `send`, for a statement that answers nothing, of so many parameters as `write` writes. */
  call(text: string, parameters: number, write: (to: Parameters) => void): Promise<void>;
  end(): Promise<void>;
}

/** The server, or a pooler before it, does not have the statement that was prepared, or has it already. */
const UNPREPARED: readonly unknown[] = ["26000", "42P05", "0A000"];

/** What is kept of a connection: where its messages are written, and the names of the statements that are prepared on it. */
interface Draft {
  readonly message: Message;
  readonly known: Set<string>;
}

/**
 * `limit_ms`: the time for one answer. `prepare`: statements are kept in the server, until a pooler that gives the connection to others
 * turns out not to keep them.
 */
export function createLane(config: ClientConfig, limit_ms: number, prepare: boolean): Lane {
  const limit = createLimit(limit_ms);
  const names = new Map<string, string>();
  const drafts = new WeakMap<Client, Draft>();
  let current: Promise<Client> | undefined;
  let prepared = prepare;

  function connect(): Promise<Client> {
    const client = new Client(config);
    const forget = (): void => {
      if (current === connecting) current = undefined;
    };
    const connecting = client.connect().then(
      () => client,
      (error: unknown) => {
        forget();
        client.end().catch(() => {});
        throw new NotConnected(error);
      },
    );
    // One that is lost while nobody uses it is nobody's error; who uses it is told by the statement.
    client.on("error", forget).on("end", forget);
    return connecting;
  }

  // Two statements of one name are the same to the letter, whoever shares the connection: another schema's has another name.
  function nameOf(text: string): string {
    const known = names.get(text);
    if (known !== undefined) return known;
    const name = `${/\w+(?=\()/.exec(text)?.[0] ?? "bylaw"}_${createHash("sha256").update(text).digest("hex").slice(0, 24)}`;
    names.set(text, name);
    return name;
  }

  async function attempt<T>(ask: (client: Client) => Promise<T>): Promise<T> {
    const client = await (current ??= connect());
    try {
      return await ask(client);
    } catch (error) {
      const answered = error instanceof DatabaseError;
      // After an answer of the server the connection is as good as before; after anything else nobody knows what comes next on it.
      if (!answered || isLost(error)) {
        current = undefined;
        client.end().catch(() => {});
      }
      if (!answered || !prepared || !UNPREPARED.includes(error.code)) throw error;
      // The server has refused it, so nothing of it was done.
      prepared = false;
      return attempt(ask);
    }
  }

  const send = (text: string, values: readonly unknown[]): Promise<readonly unknown[]> =>
    attempt((client) => ask(client, prepared ? { name: nameOf(text), text } : { text }, values));

  const call = (text: string, parameters: number, write: (to: Parameters) => void): Promise<void> =>
    attempt(async (client) => {
      const draft = drafts.get(client) ?? { message: createMessage(), known: new Set() };
      drafts.set(client, draft);
      if (!prepared) {
        await ask(client, { text }, draft.message.values(write));
        return;
      }
      const name = nameOf(text);
      if (draft.known.has(name)) return tell(client, () => draft.message.bind(name, parameters, write));
      await ask(client, { name, text }, draft.message.values(write));
      draft.known.add(name);
    });

  function ask(
    client: Client,
    statement: { readonly name?: string; readonly text: string },
    given: readonly unknown[],
  ): Promise<readonly unknown[]> {
    return inTime((done, fail) => {
      // Without a promise of the driver's own, which costs a stack trace for each statement.
      client.query({ ...statement, values: [...given] }, (error: Error | null, result) => {
        if (error === null || error === undefined) done(result.rows as readonly unknown[]);
        else fail(error);
      });
    });
  }

  const tell = (client: Client, make: () => Buffer): Promise<void> =>
    inTime((done, fail) => {
      client.query(new Bound(make, (error) => (error === null || error === undefined ? done() : fail(error))));
    });

  function inTime<T>(begin: (done: (answer: T) => void, fail: (error: Error) => void) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      limit.begin(reject);
      begin(
        (answer) => {
          limit.end(reject);
          resolve(answer);
        },
        (error) => {
          limit.end(reject);
          reject(error);
        },
      );
    });
  }

  return {
    send,
    call,
    async end() {
      const client = await current?.catch(() => undefined);
      await client?.end();
    },
  };
}

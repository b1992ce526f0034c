import { createServer, connect, type AddressInfo, type Server, type Socket } from "node:net";

/** A proxy of a server that can break like a network. */
export interface Proxy {
  /** The URL of the server through this proxy. */
  readonly url: string;
  /** Ends the connection instead of delivering the answer to the next commit. */
  loseAnswerToCommit(): Promise<void>;
  /** Ends the connection instead of delivering the next statement that contains `text`. */
  loseQuestion(text: string): Promise<void>;
  /** Silently drops the next statement that contains `text`. The connection stays open. */
  swallowQuestion(text: string): Promise<void>;
  /** Ends every connection. */
  cut(): void;
  /** Ends every connection and refuses new ones until `up` is called. */
  down(): void;
  up(): void;
  stop(): Promise<void>;
}

export async function proxyTo(serverUrl: string): Promise<Proxy> {
  const target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  let refusing = false;
  let loss:
    | {
        readonly text: string;
        readonly what: "question" | "answer" | "silence";
        readonly done: () => void;
      }
    | undefined;
  const server: Server = createServer((client) => {
    if (refusing) return void client.destroy();
    const upstream = connect(Number(target.port || 5432), target.hostname);
    let deaf = false;
    const end = (): void => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      // Like a real proxy. Otherwise several statements in a row wait for each other.
      socket.setNoDelay(true);
      sockets.add(socket);
      socket.on("error", end).on("close", () => {
        sockets.delete(socket);
        end();
      });
    }
    client.on("data", (bytes) => {
      if (loss !== undefined && bytes.includes(loss.text)) {
        const { what, done } = loss;
        loss = undefined;
        if (what !== "answer") {
          if (what === "question") end();
          return done();
        }
        deaf = true;
        // When the server answers the commit, it has carried out the transaction.
        upstream.on("data", (answer) => {
          if (!answer.includes("COMMIT")) return;
          end();
          done();
        });
      }
      upstream.write(bytes);
    });
    upstream.on("data", (bytes) => void (deaf || client.write(bytes)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = new URL(serverUrl);
  url.hostname = "127.0.0.1";
  url.port = String((server.address() as AddressInfo).port);
  const cut = (): void => sockets.forEach((socket) => socket.destroy());
  const lose = (what: "question" | "answer" | "silence", text: string): Promise<void> =>
    new Promise((done) => (loss = { text, what, done }));
  return {
    url: url.href,
    loseAnswerToCommit: () => lose("answer", "commit\0"),
    loseQuestion: (text) => lose("question", text),
    swallowQuestion: (text) => lose("silence", text),
    cut,
    down() {
      refusing = true;
      cut();
    },
    up: () => void (refusing = false),
    stop: () =>
      new Promise((resolve) => {
        cut();
        server.close(() => resolve());
      }),
  };
}

import { connect, type Socket } from "node:net";

/** A message of a stream. */
export interface Message {
  readonly id: number;
  readonly event: string | undefined;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A stream that is read message by message. */
export interface Stream {
  readonly status: number;
  readonly headers: Headers;
  /** Everything received so far, unparsed. */
  readonly text: () => string;
  /** The next message. `undefined` if the stream has ended. */
  next(): Promise<Message | undefined>;
  close(): void;
}

/** Opens a stream. */
export async function follow(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<Stream> {
  const stop = new AbortController();
  const response = await fetch(url, { headers, signal: stop.signal });
  const reader = (response.body ?? new ReadableStream<Uint8Array>())
    .pipeThrough(new TextDecoderStream())
    .getReader();
  let rest = "";
  let all = "";
  return {
    status: response.status,
    headers: response.headers,
    text: () => all,
    async next() {
      for (;;) {
        const end = rest.indexOf("\n\n");
        if (end !== -1) {
          const message = parsed(rest.slice(0, end));
          rest = rest.slice(end + 2);
          if (message !== undefined) return message;
          continue;
        }
        const part = await reader.read().catch(() => ({ done: true, value: undefined }));
        if (part.done) return undefined;
        rest += part.value;
        all += part.value;
      }
    },
    close: () => stop.abort(),
  };
}

function parsed(block: string): Message | undefined {
  const fields = new Map(
    block
      .split("\n")
      .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
  );
  const data = fields.get("data");
  if (data === undefined) return undefined;
  return {
    id: Number(fields.get("id")),
    event: fields.get("event"),
    data: JSON.parse(data) as Message["data"],
  };
}

/** A client that sends a request and reads no more of the answer than the system buffers for it. */
export function askAndSleep(
  base: string,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly closed: Promise<void>; readonly socket: Socket }> {
  const { hostname, port, pathname } = new URL(base);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) });
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.pause();
      const lines = Object.entries({ host: `${hostname}:${port}`, ...headers }).map(
        ([name, value]) => `${name}: ${value}`,
      );
      socket.write(`GET ${pathname}${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
      const closed = new Promise<void>((done) => {
        socket.once("close", () => done());
        socket.on("error", () => {});
      });
      resolve({ closed, socket });
    });
  });
}

import type { Readable } from "node:stream";

/** One side of the proxy. */
export interface Peer {
  readonly send: (text: string) => void;
  /** Settles when this side has read what was sent; `undefined` where it keeps up. */
  readonly slow: () => Promise<unknown> | undefined;
  readonly close: () => Promise<void>;
}

export interface PeerEvents {
  readonly message: (text: string) => void;
  /** A message had more characters than the limit, and was skipped. */
  readonly tooLong: () => void;
  /** Nothing more is read until this settles. */
  readonly slow: () => Promise<unknown> | undefined;
  /** It has closed, and why. */
  readonly end: (reason: string) => void;
}

/** Reads messages, one a line of at most `limit` characters. Blank lines are skipped. */
export function readMessages(
  input: Readable,
  limit: number,
  { message, tooLong, slow }: Omit<PeerEvents, "end">,
): void {
  let rest = "";
  let skipping = false;
  const take = (line: string): void => {
    const text = line.endsWith("\r") ? line.slice(0, -1) : line;
    if (text !== "") message(text);
  };
  input.setEncoding("utf8");
  input.on("data", (chunk: string) => {
    let from = 0;
    for (let end = chunk.indexOf("\n"); end >= 0; end = chunk.indexOf("\n", from)) {
      const line = rest + chunk.slice(from, end);
      if (skipping) skipping = false;
      else if (line.length > limit) tooLong();
      else take(line);
      rest = "";
      from = end + 1;
    }
    const wait = slow();
    if (wait !== undefined) {
      input.pause();
      void wait.finally(() => input.resume());
    }
    if (skipping) return;
    rest += chunk.slice(from);
    if (rest.length <= limit) return;
    rest = "";
    skipping = true;
    tooLong();
  });
}

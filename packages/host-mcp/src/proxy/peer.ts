/** A stream of text, such as Node's `Readable`. */
export interface TextInput {
  readonly setEncoding: (encoding: "utf8") => unknown;
  readonly on: (event: "data", listener: (chunk: string) => void) => unknown;
  readonly once: (event: "end", listener: () => void) => unknown;
  readonly pause: () => unknown;
  readonly resume: () => unknown;
}

/** One side of the proxy. */
export interface Peer {
  readonly send: (text: string) => void;
  /** Resolves when this side has read everything that was sent. Undefined if it is not behind. */
  readonly slow: () => Promise<unknown> | undefined;
  readonly close: () => Promise<void>;
}

export interface PeerEvents {
  readonly message: (text: string) => void;
  /** Called for a message that was longer than the limit and was skipped. */
  readonly tooLong: () => void;
  /** Reading pauses until this resolves. */
  readonly slow: () => Promise<unknown> | undefined;
  /** Called with the reason when the side has closed. */
  readonly end: (reason: string) => void;
}

/** Reads messages, one per line of at most `limit` characters. Blank lines are skipped. */
export function readMessages(
  input: TextInput,
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

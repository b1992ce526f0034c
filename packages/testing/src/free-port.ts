import { createServer } from "node:net";

/** Outside the range from which systems hand out ports to whoever asks for any, so that nobody is given one in the meantime. */
const FIRST = 10_000;
const COUNT = 20_000;
/** Processes that run at once look at different ones. */
let next = (process.pid * 97) % COUNT;

/**
 * A port of 127.0.0.1 that nobody listens on, for a program that has to be told one. A server of your own listens on port 0
 * instead.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < COUNT; tries += 1) {
    const port = FIRST + next;
    next = (next + 1) % COUNT;
    if (await isFree(port)) return port;
  }
  throw new Error("Every port is taken");
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });

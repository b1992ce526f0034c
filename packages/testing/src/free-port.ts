import { createServer } from "node:net";

/** Below the range from which systems assign free ports, so that no other process gets one in the meantime. */
const FIRST = 10_000;
const COUNT = 20_000;
/** Processes that run at the same time begin at different ports. */
let next = (process.pid * 97) % COUNT;

/** Returns an unused port of 127.0.0.1, for a program that needs a port number. A server of your own should listen on port 0 instead. */
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

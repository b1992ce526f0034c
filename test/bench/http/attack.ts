// A worker that sends the same request on many connections at once, to its end, and reports each outcome.
import { connect } from "node:net";
import { parentPort, workerData } from "node:worker_threads";

/** One request that is sent many times at once. */
export interface Attack {
  readonly name: string;
  readonly count: number;
  readonly path: string;
  readonly authorization?: string;
  readonly body: string;
}

/** Connections still open after this time are cut. */
const TIMEOUT_MS = 60_000;

/**
 * Sends one request on its own connection to the end, even if the server answers earlier. Resolves to the status, or to the reason
 * why there is none.
 */
function send(url: URL, { path, authorization }: Attack, body: Buffer): Promise<string> {
  return new Promise((resolve) => {
    let answer = "";
    const socket = connect({ host: url.hostname, port: Number(url.port) }, () => {
      const credential = authorization === undefined ? [] : [`Authorization: ${authorization}`];
      const head = [
        `POST ${url.pathname}${path} HTTP/1.1`,
        "Host: x",
        "Connection: close",
        "Content-Type: application/json",
        ...credential,
      ];
      socket.write(`${[...head, `Content-Length: ${body.length}`].join("\r\n")}\r\n\r\n`);
      socket.write(body);
    });
    socket.setEncoding("latin1").setTimeout(TIMEOUT_MS, () => socket.destroy());
    socket.on("data", (part: string) => (answer += part));
    socket.on("error", (error: NodeJS.ErrnoException) => (answer ||= error.code ?? "error"));
    socket.on("close", () =>
      resolve(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? (answer === "" ? "no answer" : answer)),
    );
  });
}

const { url, attack } = workerData as { readonly url: string; readonly attack: Attack };
const body = Buffer.from(attack.body);
const statuses = await Promise.all(
  Array.from({ length: attack.count }, () => send(new URL(url), attack, body)),
);
parentPort?.postMessage(statuses);

import { connect, type Socket } from "node:net";

/** The answer on a socket; `status` is 0 if the connection closed without one. */
export interface RawAnswer {
  readonly status: number;
  readonly text: string;
}

/** Sends bytes unchanged, and reads until the server closes or the first answer is complete. */
export function sendRaw(
  port: number,
  ...parts: readonly (string | Uint8Array)[]
): Promise<RawAnswer> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    for (const part of parts) socket.write(part);
    answerOf(socket).then(resolve, resolve);
  });
}

/** Resolves to the first answer on a socket. */
export function answerOf(socket: Socket): Promise<RawAnswer> {
  return new Promise((resolve) => {
    let text = "";
    const done = (): void => {
      socket.destroy();
      resolve({ status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0), text });
    };
    socket.setEncoding("utf8");
    socket.on("data", (part: string) => {
      text += part;
      const [head = "", body] = text.split("\r\n\r\n", 2);
      const length = /^content-length: (\d+)/im.exec(head)?.[1];
      const whole =
        length !== undefined && body !== undefined && Buffer.byteLength(body) >= Number(length);
      if (whole || (/^transfer-encoding: chunked/im.test(head) && text.endsWith("0\r\n\r\n")))
        done();
    });
    socket.on("error", done).on("close", done);
  });
}

export interface RawRequest {
  readonly method?: string;
  readonly path: string;
  /** Header lines, sent unchanged. */
  readonly headers?: readonly string[];
  readonly body?: string | Uint8Array;
}

/** The bytes of a request: with a Host, and for a body with its type and length. */
export function rawRequest({ method = "POST", path, headers = [], body }: RawRequest): Uint8Array {
  const bytes = body === undefined ? new Uint8Array() : Buffer.from(body);
  const own = [
    "Host: 127.0.0.1",
    "Connection: close",
    ...(body === undefined || headers.some((line) => /^content-type:/i.test(line))
      ? []
      : ["Content-Type: application/json"]),
    ...(body === undefined ||
    headers.some((line) => /^(content-length|transfer-encoding):/i.test(line))
      ? []
      : [`Content-Length: ${bytes.length}`]),
  ];
  return Buffer.concat([
    Buffer.from([`${method} ${path} HTTP/1.1`, ...own, ...headers, "", ""].join("\r\n")),
    bytes,
  ]);
}

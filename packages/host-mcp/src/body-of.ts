import type { IncomingMessage } from "node:http";

/** Reads the body of a request. `undefined` if it has more bytes than that. */
export async function bodyOf(request: IncomingMessage, limit: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > limit) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

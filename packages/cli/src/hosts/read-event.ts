import { EVENT_LIMIT_BYTES } from "@bylaw/hook-client";
import { BylawError } from "@bylaw/kernel";

/** Reads standard input whole. Throws BYLAW_HOST_EVENT_INVALID above the limit. */
export async function readEvent(input: AsyncIterable<Buffer>): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of input) {
    size += chunk.length;
    if (size > EVENT_LIMIT_BYTES)
      throw new BylawError({
        code: "BYLAW_HOST_EVENT_INVALID",
        message: `The event has more than ${EVENT_LIMIT_BYTES} bytes`,
      });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

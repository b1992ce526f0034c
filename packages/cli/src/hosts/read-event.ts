import { isUtf8 } from "node:buffer";
import { BylawError } from "@bylaw/kernel";

/** The most bytes that an event of a host may have. */
export const EVENT_LIMIT_BYTES = 16 * 1_048_576;

/** The whole standard input as text. Throws BYLAW_HOST_EVENT_INVALID for more than the limit, and for what is not UTF-8. */
export async function readEvent(input: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of input) {
    size += chunk.length;
    if (size > EVENT_LIMIT_BYTES)
      throw invalid(`The event has more than ${EVENT_LIMIT_BYTES} bytes`);
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  if (!isUtf8(bytes)) throw invalid("The event is not valid UTF-8");
  return bytes.toString("utf8");
}

const invalid = (message: string): BylawError =>
  new BylawError({ code: "BYLAW_HOST_EVENT_INVALID", message });

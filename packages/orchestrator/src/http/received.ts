import type { IncomingMessage } from "node:http";
import { problem, type Problem } from "./problem.ts";

/** The body, straight from the socket: nothing beyond the limit is kept, and nothing is copied for a request of one part. Rejects with a problem. */
export function received(incoming: IncomingMessage, limit: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const parts: Uint8Array[] = [];
    let length = 0;
    // Listeners stay: the request is over soon, and to take them off would cost as much as to read it.
    let over = false;
    const done = (settle: () => void): void => {
      if (!over) settle();
      over = true;
    };
    const onData = (part: Uint8Array): void => {
      length += part.length;
      if (length <= limit) {
        parts.push(part);
        return;
      }
      incoming.off("data", onData);
      done(() => reject(tooLarge(limit)));
    };
    const onEnd = (): void => {
      const [only] = parts;
      done(() => resolve(only !== undefined && parts.length === 1 ? only : Buffer.concat(parts)));
    };
    const onLost = (): void => done(() => reject(lost()));
    if (incoming.readableEnded || incoming.destroyed) return onLost();
    incoming.on("data", onData).on("end", onEnd).on("error", onLost).on("close", onLost);
  });
}

/** The problem of a body that is larger than it may be. */
export const tooLarge = (limit: number): Problem =>
  problem({
    ...{ status: 413, code: "BYLAW_REQUEST_TOO_LARGE", detail: `Unexpected body of more than ${limit} bytes, expected less` },
    ...{ fix: "send less at once", headers: { connection: "close" } },
  });

const lost = (): Problem =>
  problem({ status: 400, code: "BYLAW_REQUEST_INVALID", detail: "Unexpected end of the request, expected the rest of its body" });

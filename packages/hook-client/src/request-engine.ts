import { readFileSync } from "node:fs";
import { connect } from "node:net";
import type { EnginePlace } from "./engine-place.ts";
import { EVENT_MARK } from "./protocol.ts";

/** An engine's reply: the HTTP status, and the text after the proof of its identity. */
export interface EngineReply {
  readonly status: number;
  readonly body: string;
}

/** A request to an engine. */
export interface EngineRequest {
  readonly path: "/hook" | "/status";
  readonly fields: Readonly<Record<string, string>>;
  readonly input?: Uint8Array;
  /** Milliseconds to wait. */
  readonly timeout: number;
}

/** Asks the engine at a place. Rejects if nobody listens there, if the program there is not this engine, or if it does not reply in time. */
export async function requestEngine(
  place: EnginePlace,
  { path, fields, input = new Uint8Array(), timeout }: EngineRequest,
): Promise<EngineReply> {
  const key = readFileSync(place.clientKey, "utf8");
  const proof = readFileSync(place.engineKey, "utf8");
  const head = Buffer.from(`${String(new URLSearchParams({ ...fields, key }))}${EVENT_MARK}`);
  return await new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    // HTTP written by hand, because loading a client takes longer than the request.
    const socket = connect(place.socket, () => {
      const request = `POST ${path} HTTP/1.0\r\ncontent-length: ${head.length + input.length}\r\n\r\n`;
      socket.write(Buffer.concat([Buffer.from(request), head, input]));
    });
    const timer = setTimeout(() => socket.destroy(new EngineSilent()), timeout);
    socket.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      const reply = replyIn(Buffer.concat(chunks), proof);
      if (reply === undefined) return;
      // Not when the engine closes the connection, which is later.
      socket.destroy();
      resolve(reply);
    });
    socket.on("error", reject);
    socket.on("close", () => {
      clearTimeout(timer);
      reject(new Error("The program on the socket is not this engine"));
    });
  });
}

// The reply, or undefined while it is not whole or without the proof.
function replyIn(bytes: Buffer, proof: string): EngineReply | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  const [, status, length] =
    /^HTTP\/1\.1 (\d{3}) [^]*?\r\ncontent-length: (\d+)(?:\r\n|$)/i.exec(
      bytes.toString("latin1", 0, Math.max(end, 0)),
    ) ?? [];
  const body = bytes.subarray(end + 4);
  if (body.length !== Number(length)) return undefined;
  const text = body.toString("utf8");
  if (!text.startsWith(`${proof}\n`)) return undefined;
  return { status: Number(status), body: text.slice(proof.length + 1) };
}

/** The error for an engine that accepts connections but does not reply in time. */
export class EngineSilent extends Error {}

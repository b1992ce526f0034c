import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { enginePlace, requestEngine, type EngineReply } from "../src/index.ts";
import { expect, onTestFinished, test } from "vitest";

// Asks a program on a socket that answers with these parts, each when the former has arrived, and never closes the connection.
async function ask(...parts: readonly string[]): Promise<EngineReply> {
  const folder = mkdtempSync(join(tmpdir(), "bylaw-request-"));
  const place = enginePlace({ bin: "/opt/bylaw.js", folder });
  for (const file of [place.clientKey, place.engineKey]) writeFileSync(file, "KEY");
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.setNoDelay();
    socket.once("data", async () => {
      for (const part of parts) await new Promise((sent) => socket.write(part, sent));
    });
    onTestFinished(() => void socket.destroy());
  });
  server.listen(place.socket);
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });
  return await requestEngine(place, { path: "/status", fields: {}, timeout: 500 });
}
const reply = (body: string, length = Buffer.byteLength(body)): string =>
  `HTTP/1.1 200 OK\r\ncontent-length: ${length}\r\nconnection: close\r\n\r\n${body}`;

test("a whole reply counts at once, in however many parts it comes", async () => {
  const whole = reply("KEY\nä fine day");
  const expected = { status: 200, body: "ä fine day" };
  expect(await ask(whole)).toEqual(expected);
  expect(await ask(whole.slice(0, 30), whole.slice(30, -9), whole.slice(-9))).toEqual(expected);
});

test.each([
  ["without the proof", reply("OTHER\nfine")],
  ["that is longer than announced", reply("KEY\nfine", 5)],
  ["that is shorter than announced", reply("KEY\nfine", 50)],
])("a reply %s does not count", async (_, text) => {
  await expect(ask(text)).rejects.toThrow();
});

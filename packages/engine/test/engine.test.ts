import { chmodSync, existsSync, lstatSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { enginePlace, type EnginePlace } from "@bylaw/hook-client";
import { expect, onTestFinished, test } from "vitest";
import { engineStatus, serveEngine } from "../src/index.ts";

function placeHere(): EnginePlace {
  const folder = mkdtempSync(join(tmpdir(), "bylaw-engine-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return enginePlace({ bin: import.meta.filename, folder });
}

const serve = (place: EnginePlace, notes: string[] = []): Promise<boolean> =>
  serveEngine({
    ...{ place, version: "1.2.3", bin: import.meta.filename, idle: 1 },
    program: new URL("nothing.js", import.meta.url),
    note: (text) => void notes.push(text),
  });

test("serves until it is idle, and only one engine serves at a time", async () => {
  const place = placeHere();
  const notes: string[] = [];
  const first = serve(place, notes);
  await expect.poll(() => existsSync(place.socket)).toBe(true);
  if (process.platform !== "win32") expect(lstatSync(place.socket).mode & 0o777).toBe(0o600);
  expect(await serve(place)).toBe(false);
  expect(await first).toBe(true);
  expect(existsSync(place.socket)).toBe(false);
  expect(notes).toEqual([expect.stringMatching(/serves on/), expect.stringMatching(/ends/)]);
});

test("replaces the socket of an engine that is gone, and tells nothing to clients without the key", async () => {
  const place = placeHere();
  writeFileSync(place.socket, "");
  const served = serve(place);
  await expect.poll(() => lstatSync(place.socket).isSocket()).toBe(true);
  const status = await engineStatus(place);
  expect(status).toMatchObject({ version: "1.2.3", pid: process.pid, configurations: [] });
  const other = { ...place, clientKey: place.engineKey };
  expect(await engineStatus(other)).toMatch(/is not this engine/);
  await served;
  expect(await engineStatus(place)).toBeUndefined();
});

test.skipIf(process.platform === "win32")(
  "keeps no process alive if its folder is removed while it starts",
  async () => {
    const place = placeHere();
    const listen = Reflect.get(Server.prototype, "listen") as (...given: unknown[]) => Server;
    onTestFinished(() => void Reflect.set(Server.prototype, "listen", listen));
    // The socket exists as soon as `listen` returns.
    Reflect.set(Server.prototype, "listen", function (this: Server, ...given: unknown[]) {
      const server = Reflect.apply(listen, this, given);
      rmSync(place.folder, { recursive: true });
      return server;
    });
    const open = (): number =>
      process.getActiveResourcesInfo().filter((name) => name.startsWith("Pipe")).length;
    const before = open();
    await expect(serve(place)).rejects.toThrow(/ENOENT/);
    expect(open()).toBe(before);
  },
);

test("refuses a folder that others may use", async () => {
  const place = placeHere();
  chmodSync(place.folder, 0o770);
  await expect(serve(place)).rejects.toThrow(/is open to other users/);
});

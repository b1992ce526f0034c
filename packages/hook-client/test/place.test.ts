import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { engineFolderFault, enginePlace } from "../src/index.ts";
import { expect, onTestFinished, test } from "vitest";

test("no variable moves the folder, and each program and home has its own socket", () => {
  const before = { ...process.env };
  onTestFinished(() => {
    for (const name of ["XDG_RUNTIME_DIR", "TMPDIR", "HOME"]) delete process.env[name];
    Object.assign(process.env, before);
  });
  const place = enginePlace({ bin: "/opt/bylaw.js" });
  expect(place.folder).toBe(join(userInfo().homedir, ".bylaw/run"));
  Object.assign(process.env, { XDG_RUNTIME_DIR: "/tmp/x", TMPDIR: "/tmp/x" });
  expect(enginePlace({ bin: "/opt/bylaw.js" })).toEqual(place);
  expect(enginePlace({ bin: "/opt/other.js" }).socket).not.toBe(place.socket);
  process.env["HOME"] = "/tmp/x";
  const { folder, socket } = enginePlace({ bin: "/opt/bylaw.js" });
  expect(folder).toBe(place.folder);
  expect(socket).not.toBe(place.socket);
});

test("a folder must be a real one that only this user can use", () => {
  const folder = mkdtempSync(join(tmpdir(), "bylaw-place-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  expect(engineFolderFault(folder)).toBeUndefined();
  symlinkSync(folder, join(folder, "link"));
  writeFileSync(join(folder, "file"), "");
  for (const name of ["link", "file"])
    expect(engineFolderFault(join(folder, name))).toMatch(/is not a folder/);
  expect(engineFolderFault(join(folder, "none"))).toMatch(/not found/);
});

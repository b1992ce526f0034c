import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync, lstatSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installHooks, uninstallHooks, type Host } from "../src/index.ts";
import * as fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";

const HOST = {
  name: "some",
  title: "Some",
  capabilities: { comments: true },
  settings: { needed: { on: true } },
  hooks: (command: (event?: string) => string) => ({
    Before: { matcher: "*", hooks: [{ type: "command", command: command() }] },
    After: { hooks: [{ type: "command", command: command("after") }] },
  }),
} as unknown as Host;
const COMMAND = "'/bin/node' '/b.js' hook some --config '/c.json' --strict";

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), "bylaw-settings-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Blanks and comments between the parts of a JSON text. */
const space = fc.constantFrom("", " ", "\n", "\n  ", "\t", " // c\n", "/* { } */");
const settings = fc.tuple(
  fc.dictionary(
    fc.string({ maxLength: 5 }).filter((key) => key !== "__proto__" && key !== "hooks"),
    fc.jsonValue({ maxDepth: 2 }),
    { maxKeys: 3 },
  ),
  fc.option(
    fc.record(
      { Before: fc.array(fc.constant({ hooks: [{ command: "lint" }] }), { maxLength: 2 }) },
      { requiredKeys: [] },
    ),
    { nil: undefined },
  ),
  fc.array(space, { minLength: 4, maxLength: 4 }),
);

test("uninstalling restores any settings byte for byte", () => {
  const folder = scratch();
  const file = join(folder, "s.json");
  fc.assert(
    fc.property(
      settings,
      fc.boolean(),
      ([values, hooks, [a = "", b = "", c = "", d = ""]], pretty) => {
        const members = Object.entries(hooks === undefined ? values : { ...values, hooks }).map(
          ([key, value]) =>
            `${JSON.stringify(key)}${a}:${b}${JSON.stringify(value, undefined, pretty ? 2 : 0)}`,
        );
        const text = `${a}{${b}${members.join(`${c},${d}`)}${d}}${c}`;
        writeFileSync(file, text);
        installHooks(HOST, file, COMMAND);
        const installed = readFileSync(file, "utf8");
        expect(installed.split(/ hook some |"needed"/).length).toBe(4);
        expect(installHooks(HOST, file, COMMAND).state).toBe("unchanged");
        uninstallHooks(HOST, file);
        expect(readFileSync(file, "utf8")).toBe(text);
        // If the file was changed in between, only our hooks are removed.
        installHooks(HOST, file, COMMAND);
        writeFileSync(file, `${readFileSync(file, "utf8")} `);
        uninstallHooks(HOST, file);
        const left = readFileSync(file, "utf8");
        expect(left).not.toMatch(/hook some|needed/);
        expect(left.split("lint").length).toBe(text.split("lint").length);
        expect(installHooks(HOST, file, COMMAND).state).toBe("installed");
        rmSync(file);
      },
    ),
  );
});

test("settings behind a link stay behind the link", () => {
  const folder = scratch();
  writeFileSync(join(folder, "real.json"), "{}");
  symlinkSync("real.json", join(folder, "s.json"));
  installHooks(HOST, join(folder, "s.json"), COMMAND);
  expect(lstatSync(join(folder, "s.json")).isSymbolicLink()).toBe(true);
  expect(readFileSync(join(folder, "real.json"), "utf8")).toContain("hook some");
});

test("a folder in place of the file, and a folder that cannot be created, are errors", () => {
  const folder = scratch();
  expect(() => installHooks(HOST, folder, COMMAND)).toThrow(/Cannot read/);
  writeFileSync(join(folder, "plain"), "");
  expect(() => installHooks(HOST, join(folder, "plain/s.json"), COMMAND)).toThrow(/Cannot write/);
});

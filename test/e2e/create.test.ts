import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../contract/workspaces.ts";
import { scratch } from "./bylaw.ts";
import { answer } from "./terminal.ts";

const CREATE = [join(root, "packages/create-bylaw/bin/create-bylaw.js")];
const DOWN = "\u001B[B";

describe.runIf(process.platform === "linux")("npm create bylaw, in a terminal", () => {
  it.each([
    ["", "host"],
    [DOWN, "plugin"],
    [DOWN + DOWN, "check"],
    [DOWN + DOWN + DOWN, "ruleset"],
  ])(
    "with %j at the first question and a folder at the second it makes a %s",
    async (keys, kind) => {
      const cwd = scratch({});
      const said = await answer(cwd, CREATE, [
        ["What do you want to make?", `${keys}\r`],
        ["In which new folder?", "\r"],
      ]);
      expect(said).toContain(`wrote my-${kind}/package.json`);
      const manifest = join(cwd, `my-${kind}`, "package.json");
      expect(JSON.parse(readFileSync(manifest, "utf8"))).toMatchObject({ name: `my-${kind}` });
    },
  );

  it("makes nothing if the person leaves, or where the command line says all but the folder", async () => {
    for (const question of ["What do you want to make?", "In which new folder?"]) {
      const cwd = scratch({});
      const program = question.startsWith("In") ? [...CREATE, "--kind", "plugin"] : CREATE;
      expect(await answer(cwd, program, [[question, "\u0003"]])).toContain("Nothing was made");
      expect(existsSync(cwd) && readdirSync(cwd)).toEqual([]);
    }
  });
});

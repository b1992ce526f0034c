import { chmodSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { bylaw, json, scratch } from "./bylaw.ts";

const rule = (name: string, action: string, more = ""): string =>
  `[[rules]]\nname = "${name}"\naction = "${action}"\ntool = "t"\n${more}`;
const CONFIG = '[[plugins]]\nuse = "@bylaw/plugin-policy"\noptions = { discover = "all" }\n';
const CHECK = ["check", "--tool", "t", "--json"];
const FILES = {
  "project/bylaw.config.toml": CONFIG,
  "project/.bylaw/own.toml": rule("own", "allow"),
  "home/bylaw/mine.toml": rule("mine", "deny"),
};

describe("a configuration with `discover: all`", () => {
  const run = (root: string, args: readonly string[]) =>
    bylaw(args, { cwd: join(root, "project"), env: { XDG_CONFIG_HOME: join(root, "home") } });

  test("decides by the files of the user and the workspace, and names them", () => {
    const root = scratch(FILES);
    const ran = run(root, CHECK);
    expect(ran.code).toBe(1);
    expect(json(ran)["rule"]).toEqual({
      name: "mine",
      file: join(root, "home/bylaw/mine.toml"),
      line: 1,
    });
    expect(
      json(
        bylaw(CHECK, {
          cwd: join(root, "project"),
          env: { XDG_CONFIG_HOME: join(root, "nowhere") },
        }),
      ),
    ).toMatchObject({ effect: "allow", rule: { name: "own", file: ".bylaw/own.toml" } });
    const explained = run(root, ["explain", "--tool", "t"]);
    expect(explained.stdout).toContain("tier user, decides");
  });

  test("decides nothing if a user's file is writable by everybody", () => {
    const root = scratch(FILES);
    chmodSync(join(root, "home/bylaw/mine.toml"), 0o666);
    const ran = run(root, CHECK);
    expect(ran.code).toBe(2);
    expect(json(ran)).toMatchObject({
      error: { code: "BYLAW_POLICY_UNTRUSTED", file: join(root, "home/bylaw/mine.toml") },
    });
  });

  test("does not affect policies that are named alone", () => {
    const root = scratch({ ...FILES, "project/p.toml": rule("named", "allow") });
    expect(json(run(root, [...CHECK, "--policy", "p.toml"]))).toMatchObject({
      effect: "allow",
      rule: { name: "named" },
    });
  });
});

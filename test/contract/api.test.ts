import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "./workspaces.ts";

it("the public API of every package equals its committed snapshot", () => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, "tools/api.ts"), "--check"],
    { encoding: "utf8" },
  );
  expect(`${stdout}${stderr}`).toBe("");
  expect(status).toBe(0);
});

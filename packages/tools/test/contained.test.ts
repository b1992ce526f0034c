import { chownSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { canContain } from "@bylaw/process";
import { describe, expect, it } from "vitest";
import { folder, toolsIn } from "./kit.ts";

describe("what is contained", () => {
  // Who is not root has no folder of somebody else to give away.
  it.runIf(canContain() && process.getuid?.() === 0)("goes by the workspace, and not by the folder that an agent names", async () => {
    const root = folder({ "data/key": "what nobody may see" });
    mkdirSync(join(root, "sub"));
    chownSync(join(root, "sub"), 1_000, 1_000);
    const line = { command: "cat ../data/key data/key" };
    for (const contain of ["possible", "always"] as const) {
      const call = toolsIn(root, { hidden: ["data"], programs: { contain } });
      const refused = { code: "BYLAW_PROGRAM_FAILED", message: expect.stringContaining("cannot be contained") };
      await expect(call("bash", { ...line, cwd: "sub" }), contain).rejects.toMatchObject(refused);
      expect((await call("bash", line)).stdout, contain).toBe("");
    }
    // A workspace of somebody else is contained nowhere, which is known and said.
    chownSync(root, 1_000, 1_000);
    expect((await toolsIn(root)("bash", line)).stdout).toBe("what nobody may see");
  });

  it.runIf(canContain())("writes nothing that is protected, in whatever folder the line runs", async () => {
    const root = folder({ "rules/a": "ours", "rules/deep/b": "ours" });
    const call = toolsIn(root, { protect: ["rules"], programs: { contain: "always" } });
    for (const cwd of [".", "rules", "rules/deep"])
      await call("bash", { command: `echo x > ${root}/rules/a; echo x > ${root}/rules/new; echo y > ${root}/free`, cwd });
    expect([readFileSync(join(root, "rules/a"), "utf8"), existsSync(join(root, "rules/new"))]).toEqual(["ours", false]);
    expect(readFileSync(join(root, "free"), "utf8")).toBe("y\n");
  });
});

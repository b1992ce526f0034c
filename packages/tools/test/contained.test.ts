import { chownSync, existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { canContain, isRoot, NOBODY } from "@bylaw/process";
import { describe, expect, it } from "vitest";
import { callTool, toolNamed, workspaceTools, type ProgramOptions } from "../src/index.ts";
import { folder, give, toolsIn } from "./kit.ts";

describe("a contained program", () => {
  // Only root can give a folder to another user.
  it.runIf(canContain() && isRoot())(
    "is contained by the workspace, and not by the folder that an agent names",
    async () => {
      const root = folder({ "data/key": "what nobody may see" });
      mkdirSync(join(root, "sub"));
      chownSync(join(root, "sub"), 1_000, 1_000);
      const line = { command: "id -u; cat ../data/key data/key" };
      for (const owner of [NOBODY.uid, 2_000]) {
        chownSync(root, owner, owner);
        for (const contain of ["possible", "always"] as const) {
          const call = toolsIn(root, { hidden: ["data"], programs: { contain } });
          expect((await call("bash", { ...line, cwd: "sub" })).stdout, contain).toBe(`${owner}\n`);
          expect((await call("bash", line)).stdout, contain).toBe(`${owner}\n`);
        }
      }
    },
  );

  it.runIf(isRoot())("is refused if it would run as root", async () => {
    const root = folder();
    const call = (programs: ProgramOptions): Promise<unknown> => {
      const tool = toolNamed(workspaceTools({ programs }), "bash");
      return tool === undefined
        ? Promise.reject(new Error("no bash"))
        : callTool(tool, { command: "id -u > who" }, { agent: "ann", workspace: root });
    };
    const refused = {
      code: "BYLAW_PROGRAM_FAILED",
      message: expect.stringContaining("do not run as root"),
    };
    await expect(call({})).rejects.toMatchObject({
      ...refused,
      fix: expect.stringContaining("chown -R"),
    });
    await expect(call({ contain: "never" })).rejects.toMatchObject(refused);
    expect(existsSync(join(root, "who"))).toBe(false);
    for (const contain of ["possible", "never"] as const) {
      await call({ contain, allowRoot: true });
      expect(readFileSync(join(root, "who"), "utf8")).toBe("0\n");
    }
  });

  it.runIf(canContain() && isRoot())(
    "can use files that file tools wrote, which belong to the owner of the workspace",
    async () => {
      const root = folder({ "old.txt": "old" });
      const call = toolsIn(root);
      give(root);
      await call("write_files", { path: "deep/er/new.txt", content: "new" });
      await call("edit_files", { path: "old.txt", old_string: "old", new_string: "edited" });
      const owners = ["deep", "deep/er", "deep/er/new.txt", "old.txt"].map(
        (path) => statSync(join(root, path)).uid,
      );
      expect(new Set(owners)).toEqual(new Set([NOBODY.uid]));
      const tool = await call("bash", {
        command:
          "echo more >> deep/er/new.txt && echo more >> old.txt && rm -r deep && touch .bylaw/tmp/x",
      });
      expect(tool).toMatchObject({ exit_code: 0, stderr: "" });
    },
  );

  it.runIf(canContain())(
    "cannot write protected places, in whatever folder the line runs",
    async () => {
      const root = folder({ "rules/a": "ours", "rules/deep/b": "ours" });
      const call = toolsIn(root, { protect: ["rules"], programs: { contain: "always" } });
      for (const cwd of [".", "rules", "rules/deep"])
        await call("bash", {
          command: `echo x > ${root}/rules/a; echo x > ${root}/rules/new; echo y > ${root}/free`,
          cwd,
        });
      expect([
        readFileSync(join(root, "rules/a"), "utf8"),
        existsSync(join(root, "rules/new")),
      ]).toEqual(["ours", false]);
      expect(readFileSync(join(root, "free"), "utf8")).toBe("y\n");
    },
  );
});

import { setFlagsFromString } from "node:v8";
import { runInThisContext } from "node:vm";
import { expect, it } from "vitest";
import { createKernel, type Kernel, type Subject, type ToolCall } from "../src/index.ts";
import { call, plugin } from "./kit.ts";

setFlagsFromString("--allow-natives-syntax");
const hasFields = runInThisContext("(object) => %HasFastProperties(object)") as (object: object) => boolean;
const sameFields = runInThisContext("(left, right) => %HaveSameMap(left, right)") as (left: object, right: object) => boolean;
// They are compiled where they are first called.
sameFields({ has: hasFields({}) }, {});
setFlagsFromString("--no-allow-natives-syntax");

/** All that a tool call can say. */
const WHOLE: Omit<ToolCall, "hook" | "facts"> = {
  ...{ id: "c1", run: "r1", session: "s1", agent: "a1", task: "T1", at: "2026-01-01T00:00:00Z", phase: "WORK" },
  ...{ interactive: true, claims: { role: "dev" }, host: { token: "t" }, tool: "read_file", args: { path: "a.txt" } },
  ...{ server: "files", servers: { files: ["read_file"] }, annotations: { readOnlyHint: true } },
  ...{ cwd: "/w", workspace: "/w", home: "/h", approval_mode: "ask" },
};

// What is kept in a dictionary has a shape of its own, and code that was compiled for it fits no other.
it.each(Object.keys(WHOLE).map((_, at) => at + 1))(
  "a call with the last %d of all fields is no dictionary, with facts or without",
  async (count) => {
    const given = call(Object.fromEntries(Object.entries({ ...WHOLE }).slice(-count)));
    const bare = createKernel({});
    const preparing = createKernel({ plugins: [plugin("facts", (kernel) => kernel.prepare("facts", () => ({ found: true })))] });
    const prepared = async (kernel: Kernel): Promise<Subject> => kernel.prepare({ ...given });
    for (const kernel of [bare, preparing]) {
      const [one, other] = [await prepared(kernel), await prepared(kernel)];
      expect([hasFields(one), sameFields(one, other)]).toEqual([true, true]);
    }
  },
);

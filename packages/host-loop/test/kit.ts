import { allow, ask, createKernel, defineCheck, definePlugin, deny } from "@bylaw/kernel";
import { openRun } from "@bylaw/log";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { z } from "zod";

const rules = definePlugin({
  name: "rules",
  version: "1.0.0",
  options: z.strictObject({}).prefault({}),
  grants: true,
  apply({ hooks }) {
    hooks.beforeToolCall.tap("paths", ({ args }) => {
      const { path } = args as { readonly path?: string };
      if (path === "broken") throw new Error("The rule is broken");
      if (path === "secret") return deny("`secret` is off limits.", "Write another file");
      return path === "ask" ? ask("A person has to see this.") : allow("Free.");
    });
  },
})();
const runsTests = defineCheck({
  name: "runs-tests",
  hook: "onEnforcement",
  check: ({ text = "" }) => (text.includes("tests pass") ? undefined : deny("Run the tests.")),
});

/** Opens a run with a guard. `file`: the store, for another process to resume. */
export async function openKit(file?: string) {
  const kernel = createKernel({ plugins: [rules, runsTests], fallback: "deny" });
  const kept = file === undefined ? {} : { store: await openSqliteStore(file) };
  const run = await openRun(kernel, { run: "r", join: true, ...kept });
  return { kernel, run, agent: "bot", cwd: "/w", home: "/h" };
}

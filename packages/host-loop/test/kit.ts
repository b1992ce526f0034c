import { createKernel, defineCheck, deny } from "@bylaw/kernel";
import { openRun } from "@bylaw/log";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { pathRules } from "@bylaw/testing";

const runsTests = defineCheck({
  name: "runs-tests",
  hook: "onEnforcement",
  check: ({ text = "" }) => (text.includes("tests pass") ? undefined : deny("Run the tests.")),
});

/** Opens a run with a guard. `file`: the store, for another process to resume. */
export async function openKit(file?: string) {
  const kernel = createKernel({ plugins: [pathRules, runsTests], fallback: "allow" });
  const kept = file === undefined ? {} : { store: await openSqliteStore(file) };
  const run = await openRun(kernel, { run: "r", join: true, ...kept });
  return { kernel, run, agent: "bot", cwd: "/w", home: "/h" };
}

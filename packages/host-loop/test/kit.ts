import { createKernel } from "@bylaw/kernel";
import { openRun } from "@bylaw/log";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { pathRules } from "@bylaw/testing";

/** Opens a run with a guard. `file`: the store, for another process to resume. */
export async function openKit(file?: string) {
  const kernel = createKernel({ plugins: [pathRules], fallback: "allow" });
  const kept = file === undefined ? {} : { store: await openSqliteStore(file) };
  const run = await openRun(kernel, { run: "r", join: true, ...kept });
  return { kernel, run, agent: "bot", cwd: "/w", home: "/h" };
}

import { createKernel } from "@bylaw/kernel";
import { openRun } from "@bylaw/log";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { pathRules, runChild } from "@bylaw/testing";

/** Opens a run with a guard. `file`: the store, for another process to resume. */
export async function openKit(file?: string) {
  const kernel = createKernel({ plugins: [pathRules], fallback: "allow" });
  const kept = file === undefined ? {} : { store: await openSqliteStore(file) };
  const run = await openRun(kernel, { run: "r", join: true, ...kept });
  return { kernel, run, agent: "bot", cwd: "/w", home: "/h" };
}

/** For a path: what runs, and what the model is told. How a broken check is told is up to the SDK. */
export const PLAIN_OUTCOMES = [
  ["a", ["a"], "wrote a"],
  ["secret", [], "`secret` is off limits. Write another file."],
  ["broken", [], ""],
  ["ask", [], "A person has to see this. A person must approve this call first (question `"],
] as const;

/** Goes on in another process, with a person's answer. */
export const resume = (input: object): object =>
  runChild(new URL("resume.ts", import.meta.url), input);

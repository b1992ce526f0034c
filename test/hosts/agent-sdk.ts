import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { guardAgent, type GuardOptions } from "@bylaw/host-agent-sdk";
import { allow, ask, createKernel, definePlugin, deny } from "@bylaw/kernel";
import { createMemoryStore, openRun } from "@bylaw/log";
import { coordinator } from "@bylaw/plugin-coordinator";
import { z } from "zod";
import { startModel } from "./model.ts";

/** The folder in which the SDK is installed. */
export const SDK_FOLDER = join(import.meta.dirname, "programs/agent-sdk");
const PACKAGE = "@anthropic-ai/claude-agent-sdk";

/** How one query is guarded, and whether its call must run. */
interface Case {
  readonly name: string;
  readonly folder: "allowed" | "asked" | "broken" | "changed" | "denied" | "vain";
  /** The folder that is made instead. */
  readonly instead?: string;
  /** Whether the SDK has no permissions of its own, so that it asks `canUseTool`. */
  readonly bare?: boolean;
  readonly ask?: GuardOptions["ask"];
  /** Closes the run first, so that nothing can be recorded. */
  readonly closed?: boolean;
  /** Ends the run first, so that the turn must end too. */
  readonly over?: boolean;
  readonly runs: boolean;
}

/** The cases that must hold for an agent of the real SDK with all of the SDK's permissions. */
export const SDK_CASES: readonly Case[] = [
  { name: "an allowed call runs", folder: "allowed", runs: true },
  { name: "a denied call stays out", folder: "denied", runs: false },
  { name: "a call stays out where the rule throws", folder: "broken", runs: false },
  {
    name: "a call stays out where it cannot be put on record",
    ...{ folder: "allowed", closed: true, runs: false },
  },
  {
    name: "a call after the end of the run stays out, and ends the turn",
    ...{ folder: "allowed", over: true, runs: false },
  },
  { name: "a question without a person stays out", folder: "asked", runs: false },
  {
    name: "a call runs after a person's yes",
    ...{ folder: "asked", ask: () => ({ approved: true, by: "ada" }), runs: true },
  },
  {
    name: "a call stays out where asking a person fails",
    ...{ folder: "asked", runs: false },
    ask() {
      throw new Error("nobody is there");
    },
  },
  ...[false, true].map((bare) => ({
    name: `the call that a rule offers runs, and not the original, asked in \`canUseTool\`: ${String(bare)}`,
    ...({ folder: "changed", instead: "allowed", bare, runs: false } as const),
  })),
  ...[false, true].map((bare) => ({
    name: `neither call runs if the offered one is denied, asked in \`canUseTool\`: ${String(bare)}`,
    ...({ folder: "vain", bare, runs: false } as const),
  })),
];

const rules = definePlugin({
  name: "rules",
  version: "1.0.0",
  options: z.strictObject({}).prefault({}),
  grants: true,
  apply({ hooks }) {
    hooks.beforeToolCall.tap("folders", ({ args }) => {
      const { command } = args as { readonly command?: unknown };
      const [, folder = ""] = /^mkdir (\w+)$/.exec(String(command)) ?? [];
      if (folder === "allowed") return allow("This folder may be made.");
      if (folder === "broken") throw new Error("The rule is broken");
      if (folder === "asked") return ask("A person must look.");
      const offered = { changed: "mkdir allowed", vain: "mkdir denied" }[folder];
      const details = offered === undefined ? {} : { instead: { command: offered } };
      return deny("This folder is off limits.", undefined, details);
    });
  },
})();

const END = {
  ...{ event_type: "workflow_failed", agent_id: null, task_id: null },
  details: { reason: "x", last_state: "x" },
};

interface Sdk {
  readonly query: (given: object) => AsyncIterable<object>;
}

/** Runs one query of the real SDK with a fake model. Returns the fault, or undefined. */
export async function proveSdk({
  folder,
  closed,
  over = false,
  runs,
  instead,
  bare = false,
  ...own
}: Case): Promise<string | undefined> {
  const entry = createRequire(join(SDK_FOLDER, "package.json")).resolve(PACKAGE);
  const { query } = (await import(pathToFileURL(entry).href)) as Sdk;
  const home = realpathSync(mkdtempSync(join(tmpdir(), "bylaw-hosts-")));
  const cwd = join(home, "work");
  mkdirSync(cwd);
  const command = `mkdir ${folder}`;
  const model = await startModel(({ tools, results }) =>
    results.length === 0 && tools.includes("Bash")
      ? [{ name: "Bash", args: { command, description: "x" } }]
      : [],
  );
  const kernel = createKernel({ plugins: [rules, coordinator()], fallback: "deny" });
  const store = createMemoryStore();
  const run = await openRun(kernel, { run: "r", store });
  if (over) await run.record([END]);
  if (closed === true) await run.close();
  const asking = own.ask === undefined ? {} : { ask: own.ask };
  const { hooks, canUseTool } = guardAgent({ kernel, run, agent: "bot", cwd, ...asking });
  try {
    const env = {
      ...{ HOME: home, PATH: [dirname(process.execPath), "/usr/bin", "/bin"].join(":") },
      ...{ ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "dummy", IS_SANDBOX: "1" },
      ...{ CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_AUTOUPDATER: "1" },
    };
    const permissions = bare
      ? { permissionMode: "default" }
      : { permissionMode: "bypassPermissions", allowDangerouslySkipPermissions: true };
    const options = { cwd, env, hooks, canUseTool, settingSources: [], ...permissions };
    for await (const _ of query({ prompt: "make the folder", options }));
  } finally {
    model.close();
  }
  const ran = existsSync(join(cwd, folder));
  const others = readdirSync(cwd).filter((name) => name !== folder);
  rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  if (model.turns() === 0) return "it asked no model";
  if (over && model.turns() > 1) return `it took ${model.turns()} turns`;
  const calls = (await store.events("r", 0, 100))
    .filter(({ event_type }) => event_type.startsWith("tool_"))
    .map(({ event_type }) => event_type)
    .join(", ");
  if (instead !== undefined && calls !== "tool_denied, tool_allowed, tool_result")
    return `on record: ${calls}`;
  if (others.join() !== (instead ?? "")) return `it made ${others.join()}: ${model.seen().join()}`;
  return ran === runs ? undefined : `it ${ran ? "runs" : "blocks"}: ${model.seen().join()}`;
}

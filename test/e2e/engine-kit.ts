import { spawn } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { engineStatus, type EngineStatus } from "@bylaw/engine";
import { enginePlace, type EnginePlace } from "@bylaw/hook-client";
import { onTestFinished } from "vitest";
import { BIN, scratch, type Ran } from "./bylaw.ts";

/** The client in its installed form. */
export const CLIENT = join(
  dirname(createRequire(import.meta.url).resolve("@bylaw/hook-client/package.json")),
  "dist/hook-client.cjs",
);

/** A folder with configurations, and engines that end with the test. */
export interface EngineDesk {
  readonly root: string;
  readonly folder: string;
  readonly place: EnginePlace;
  /** Runs the hook of a host. */
  readonly hook: (event: string | object, options?: HookOptions) => Promise<Ran>;
  /** The status of the engine that answers. */
  readonly status: () => Promise<EngineStatus>;
}

interface HookOptions {
  readonly host?: string;
  readonly config?: string;
  readonly bin?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** The rules of the tests: `ls` is allowed, `rm` is denied. */
export const RULES = `default = "deny"

[[rules]]
name = "look"
action = "allow"
command = ["ls"]
reason = "Looking is fine"
`;
const CONFIG = JSON.stringify({
  plugins: [{ use: "@bylaw/plugin-policy", options: { files: ["rules.toml"], discover: "none" } }],
});

/** A configuration that runs code for every call. */
export const codeConfig = (
  body: string,
): string => `import { isMainThread } from "node:worker_threads";
import { defineCheck, deny } from "@bylaw/kernel";
import { z } from "zod";
const check = () => { ${body} };
const own = { name: "own", hook: "beforeToolCall", args: z.looseObject({}), check };
export default { plugins: [defineCheck(own)] };`;

/** The event that Claude Code sends before it runs a line. */
export const line = (command: string): object => ({
  ...{ hook_event_name: "PreToolUse", session_id: "s", cwd: "/tmp", tool_use_id: "t" },
  ...{ tool_name: "Bash", tool_input: { command } },
});

export function engineDesk(files: Readonly<Record<string, string>> = {}): EngineDesk {
  const root = scratch({ "bylaw.config.json": CONFIG, "rules.toml": RULES, ...files });
  const folder = join(root, "run");
  const place = enginePlace({ bin: BIN, folder });
  onTestFinished(() => enginesIn(folder).forEach((pid) => signal(pid, "SIGKILL")));
  return {
    ...{ root, folder, place },
    hook(event, options = {}) {
      const { host = "claude-code", config = "bylaw.config.json", bin = BIN } = options;
      const hook = ["hook", host, "--config", join(root, config), "--engine", folder];
      return run([CLIENT, bin, ...hook, ...(options.args ?? [])], {
        cwd: root,
        input: typeof event === "string" ? event : JSON.stringify(event),
        env: { ...process.env, ...options.env },
      });
    },
    async status() {
      const status = await engineStatus(place);
      if (typeof status === "object") return status;
      throw new Error(status ?? "No engine runs");
    },
  };
}

/** The process ids of engines that started in a folder and have not logged their end. */
export function enginesIn(folder: string): readonly number[] {
  const logs = globSync(join(folder, "*.log")).map((file) => readFileSync(file, "utf8"));
  const all = (pattern: RegExp): readonly string[] =>
    logs.flatMap((log) => Array.from(log.matchAll(pattern), ([, pid = ""]) => pid));
  const ended = new Set(all(/Engine ends, process (\d+)/g));
  return all(/serves on .*, process (\d+)/g)
    .filter((pid) => !ended.has(pid))
    .map(Number);
}

export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has ended.
  }
}

export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    // A process whose parent does not wait for it stays as a zombie.
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
};

/** Runs Node. */
export function run(
  args: readonly string[],
  options: { readonly cwd: string; readonly input: string; readonly env: NodeJS.ProcessEnv },
): Promise<Ran> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: options.cwd, env: options.env });
    onTestFinished(() => void child.kill("SIGKILL"));
    const texts = { stdout: "", stderr: "" };
    child.stdout.on("data", (text) => (texts.stdout += text));
    child.stderr.on("data", (text) => (texts.stderr += text));
    child.stdin.on("error", () => {});
    child.stdin.end(options.input);
    child.on("close", (code) => resolve({ code, ...texts }));
  });
}

/** The command of the hook that `bylaw install claude-code --project` wrote for calls. */
export function installedCommand(project: string): string {
  const settings = readFileSync(join(project, ".claude/settings.local.json"), "utf8");
  const { hooks } = JSON.parse(settings) as {
    readonly hooks: Readonly<Record<string, [{ hooks: [{ command: string }] }]>>;
  };
  return hooks["PreToolUse"]?.[0].hooks[0].command ?? "";
}

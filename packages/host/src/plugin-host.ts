import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { checkArgument, isJsonObject, omitUndefined, type JsonObject } from "@bylaw/kernel";
import { callFromFields, hookOutputJson, stringField } from "./call.ts";
import type { HostCapabilities } from "./capabilities.ts";
import { jsonOutput } from "./hook-format.ts";
import type { Host, HostEvent, HostPlace, SettingsFile } from "./host.ts";
import type { Reply } from "./lower.ts";
import { readSessionEvent } from "./session-event.ts";

const TIMEOUT_MS = 30_000;
const OWN_FILE = "bylaw.js";

/** An agent without hooks that loads a file of code, which can stop a call. */
export interface PluginHost extends Pick<Host, "name" | "title" | "switchedOff"> {
  readonly capabilities: Pick<
    HostCapabilities,
    "version" | "exit_code" | "project_off" | "session_events"
  >;
  /** Absolute path of the folder from which it loads code for all projects. */
  readonly plugins: (place: HostPlace) => string;
  /** Other files that it reads: settings, and code of a project. */
  readonly others: (place: HostPlace, project: string) => readonly Omit<SettingsFile, "target">[];
  /**
   * Code that awaits `refusalOf({ event, tool, args, id, session, agent, cwd })` before each call, with the event `tool_call`. It
   * resolves to the reason why the call must not run, or to undefined; the call must not run either if it rejects. If other arguments
   * must be used, it has changed the object `args` in place, which must be the one that the agent runs. After the call,
   * the code reports the event `tool_result`, with `ok`. It also reports the events of {@link readSessionEvent}.
   */
  readonly code: string;
}

/** Creates the adapter of such an agent. The installed file runs the hook, and lets a call run only if the answer is `{}`. */
export function definePluginHost(options: PluginHost): Host {
  const { plugins, others, code, ...own } = checkArgument("definePluginHost", "options", options);
  return {
    ...own,
    capabilities: {
      ...{ ...own.capabilities, ask: "runs", allow: false, halts: false },
      ...{ managed: false, comments: true },
      rewrites: "all",
      failures: {
        ...{ exit_1: "blocks", killed: "blocks", missing: "blocks", timeout: "blocks" },
        not_json: "blocks",
      },
      ...{ stop_cap: null, timeout_ms: TIMEOUT_MS },
    },

    read: (input, { home }) => eventOf(own.name, input, home),
    answer: (_, reply) => jsonOutput(answerOf(reply)),
    fault: (reason) => jsonOutput({ deny: reason }),
    blocks: ({ stdout, exit }) =>
      exit !== 0 || (stdout !== "{}" && !isJsonObject(hookOutputJson(stdout)["args"])),
    shellCall: (command, cwd) => ({
      ...{ event: "tool_call", tool: "bash", args: { command } },
      ...{ id: "doctor", session: "doctor", cwd },
    }),
    files: (place, project) => [
      { scope: "user", file: join(plugins(place), OWN_FILE), target: true },
      ...others(place, project).map((one) => ({ ...one, target: false })),
    ],
    hooks: () => ({}),
    ownFile: (file, command) =>
      basename(file) === OWN_FILE ? pluginText(command, code) : undefined,
  };
}

function answerOf(reply: Reply): JsonObject {
  if (reply.kind === "none") return {};
  return reply.kind === "rewrite" ? { args: reply.args } : { deny: reply.reason };
}

function eventOf(host: string, input: JsonObject, home: string): HostEvent {
  const { event: name = "tool_call", tool, args, id, session, agent, cwd, ok, exit_code } = input;
  if (name !== "tool_call" && name !== "tool_result") {
    const named = stringField(input, "event") ?? "";
    const fields = { ...input, ...omitUndefined({ session_id: session, agent_id: agent }) };
    return readSessionEvent(fields, named) ?? { kind: "other", name: named };
  }
  const call = callFromFields({ host, tool, args, id, session, agent, cwd, home });
  if (name === "tool_call") return { kind: name, name, call };
  const exitCode = typeof exit_code === "number" ? { exit_code } : {};
  return { kind: name, name, call, ok: ok === true, ...exitCode };
}

/** The code files in a folder. */
export function codeFilesIn(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
    return names.filter((name) => /\.[cm]?[jt]s$/.test(name)).map((name) => join(folder, name));
  } catch {
    return [];
  }
}

const pluginText = (command: string, code: string): string => `\
// Written by \`bylaw install\`. It asks Bylaw before each tool call, and the call runs only if the answer is {} or other arguments.
import { spawn } from "node:child_process";

const COMMAND = ${JSON.stringify(command)};
const LIMITS = { timeout: ${TIMEOUT_MS} };

function refusalOf(event) {
  return new Promise((resolve) => {
    // A group can be ended with all that the shell has started. Windows has none.
    const child = spawn(COMMAND, { shell: true, detached: process.platform !== "win32" });
    let stdout = "";
    let stderr = "";
    const end = (reason) => {
      clearTimeout(timer);
      child.stdout.destroy();
      child.stderr.destroy();
      resolve(reason);
    };
    const timer = setTimeout(() => {
      endAll(child);
      end("Bylaw did not answer in time.");
    }, LIMITS.timeout);
    child.stdout.setEncoding("utf8").on("data", (text) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text));
    child.on("error", ({ message }) => end(\`Bylaw did not start: \${message}\`));
    child.on("close", (code) => end(code === 0 ? reasonIn(stdout, event.args) : stderr.trim() || "Bylaw did not answer."));
    child.stdin.on("error", () => {});
    child.stdin.end(JSON.stringify(event));
  });
}

function endAll(child) {
  try {
    if (process.platform === "win32") spawn("taskkill", ["/pid", String(child.pid), "/t", "/f"]).on("error", () => child.kill());
    else process.kill(-child.pid, "SIGKILL");
  } catch {
    child.kill("SIGKILL");
  }
}

function reasonIn(stdout, given) {
  if (stdout === "{}") return undefined;
  try {
    const { deny, args } = JSON.parse(stdout);
    if (typeof deny === "string" && deny !== "") return deny;
    if (isObject(args) && isObject(given)) {
      for (const key of Object.keys(given)) delete given[key];
      Object.assign(given, args);
      return undefined;
    }
  } catch {}
  return "Bylaw gave an answer that cannot be read.";
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

${code}`;

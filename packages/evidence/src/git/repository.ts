import { spawn } from "node:child_process";
import { lstatSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { BylawError } from "@bylaw/kernel";
import { programEnvironment } from "@bylaw/process";

/** The repository that contains a workspace. */
export interface Repository {
  /** The folder that contains `.git`. */
  readonly top: string;
  /** The path of the workspace in the repository: empty, or ending with `/`. */
  readonly prefix: string;
}

/**
 * Finds the nearest repository of a folder. The folder's path must not contain links. Undefined without one. Reads nothing of the
 * repository.
 */
export function repositoryOf(folder: string): Repository | undefined {
  for (let top = folder; ; top = dirname(top)) {
    if (lstatSync(join(top, ".git"), { throwIfNoEntry: false }) !== undefined) {
      const below = relative(top, folder).split(sep).join("/");
      return { top, prefix: below === "" ? "" : `${below}/` };
    }
    if (dirname(top) === top) return undefined;
  }
}

// Keeps settings in the repository, which an agent may have written, from running a program, using the network, replacing
// objects, or substituting files of the workspace.
const SETTINGS: readonly string[] = [
  ...["--no-pager", "--no-replace-objects", "--no-optional-locks"],
  ...[
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.excludesFile=/dev/null",
    "core.attributesFile=/dev/null",
  ].flatMap(setting),
  ...["core.ignoreCase=false", "core.bare=false", "protocol.allow=never", "gc.auto=0"].flatMap(
    setting,
  ),
];
const ENVIRONMENT: Readonly<Record<string, string>> = {
  ...{
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
  },
  ...{
    GIT_NO_LAZY_FETCH: "1",
    GIT_ALLOW_PROTOCOL: "",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_GRAFT_FILE: "/dev/null",
  },
  ...{ LC_ALL: "C", LANG: "C" },
};

function setting(text: string): readonly string[] {
  return ["-c", text];
}

const TIMEOUT_MS = 30_000;
const MAX_OUTPUT = 256 * 1_048_576;

export interface GitQuestion {
  readonly args: readonly string[];
  /** Text for its standard input. */
  readonly stdin?: string;
  /** The exit codes that count as an answer. Default: 0. */
  readonly answers?: readonly number[];
  /** Receives the output piece by piece; without it, the result contains all output. If it throws, the program is ended. */
  readonly onOutput?: (chunk: Uint8Array) => void;
}

/** Runs git on a repository. Throws BYLAW_REPOSITORY_UNREADABLE if git gives no answer. */
export async function askGit(
  { top }: Repository,
  { args, stdin, answers = [0], onOutput }: GitQuestion,
): Promise<Uint8Array> {
  const child = spawn(
    "git",
    [...SETTINGS, `--git-dir=${join(top, ".git")}`, `--work-tree=${top}`, ...args],
    {
      cwd: top,
      env: programEnvironment({ workspace: top, set: ENVIRONMENT }),
      stdio: ["pipe", "pipe", "pipe"],
      windowsHide: true,
      timeout: TIMEOUT_MS,
      killSignal: "SIGKILL",
    },
  );
  const chunks: Uint8Array[] = [];
  let size = 0;
  let said = "";
  let failure: unknown;
  child.stdout.on("data", (chunk: Uint8Array) => {
    if (failure !== undefined) return;
    try {
      if (onOutput !== undefined) onOutput(chunk);
      else if ((size += chunk.length) > MAX_OUTPUT) throw new Error("too much output");
      else chunks.push(chunk);
    } catch (error) {
      failure = error;
      child.kill("SIGKILL");
    }
  });
  child.stderr.on("data", (chunk: Uint8Array) => {
    if (said.length < 500) said += new TextDecoder().decode(chunk);
  });
  // A program that does not read its input still ends normally.
  child.stdin.on("error", () => {});
  child.stdin.end(stdin ?? "");
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", (cause) => reject(unreadable(top, cause.message)));
    child.once("close", resolve);
  });
  if (failure !== undefined)
    throw failure instanceof BylawError ? failure : unreadable(top, String(failure));
  if (code === null || !answers.includes(code))
    throw unreadable(top, said.split("\n", 1)[0] || `git ended with ${code ?? "a signal"}`);
  const all = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

/** Creates the error for a repository whose answers cannot be trusted. */
export const unreadable = (top: string, why: string): BylawError =>
  new BylawError({
    code: "BYLAW_REPOSITORY_UNREADABLE",
    message: `Cannot read git's answer about the repository in \`${top}\`: ${why.slice(0, 300)}`,
    fix: "Repair the repository (`git fsck`), and make sure that git is installed on the machine that runs Bylaw",
  });

/** Returns the id of the checked-out commit. `null` before the first commit. Throws BYLAW_REPOSITORY_UNREADABLE. */
export async function headOf(repository: Repository): Promise<string | null> {
  // Does not check that the commit exists: an unreadable commit must not look like a missing one.
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", "HEAD"];
  const said = new TextDecoder().decode(await askGit(repository, { args, answers: [0, 1] })).trim();
  if (said === "") return null;
  if (!/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(said))
    throw unreadable(repository.top, "a commit without an id");
  return said;
}

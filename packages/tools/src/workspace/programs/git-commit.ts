import { dirname } from "node:path";
import { BylawError, omitUndefined } from "@bylaw/kernel";
import type { ProgramEnd } from "@bylaw/process";
import { isBlank } from "@bylaw/wording";
import { z } from "zod";
import { defineTool } from "../../define-tool.ts";
import type { CallContext, Tool } from "../../tool.ts";
import { refused } from "../files/refused.ts";
import { workspaceOf, type Workspace } from "../files/workspace.ts";
import { type WorkspaceToolsOptions, path } from "../options.ts";
import { start } from "./start.ts";

const TIMEOUT_MS = 120_000;
// Turns off programs besides git that a repository may start. Agents may have set them up.
const QUIET = [
  "core.fsmonitor=false",
  "commit.gpgSign=false",
  "gc.auto=0",
  "maintenance.auto=false",
  "core.editor=false",
];
// Makes git check a file that a sparse checkout leaves out, if the file exists.
const SPARSE = "sparse.expectFilesOutsideOfPatterns=false";
const NO_HOOKS = "core.hooksPath=/dev/null";
// The settings that may name any number of programs: filters, and hooks outside the hooks folder.
const OFF = {
  filter: ["clean=", "smudge=", "process=", "required=false"],
  hook: ["enabled=false"],
} as const;

/** Commits the changes in the workspace in the name of the agent. */
export function gitCommit(options: WorkspaceToolsOptions): Tool<CallContext> {
  const { gitHooks = false } = options.programs ?? {};
  return defineTool({
    name: "git_commit",
    description: "Commits the named files of the workspace, or all changes.",
    input: z.object({
      message: z
        .string()
        .trim()
        .min(1)
        .max(65_536)
        .refine((text) => !isBlank(text), "must not be blank")
        .refine(
          (text) => !text.includes("\0") && text.isWellFormed(),
          "must be text without a zero byte",
        ),
      paths: z
        .array(path)
        .min(1)
        .max(1_000)
        .optional()
        .describe("Commit only these files and folders"),
    }),
    annotations: { destructiveHint: false, openWorldHint: false },
    async run({ message, paths }, context: CallContext) {
      const workspace = await workspaceOf(context, options);
      const places = pathspecsOf(workspace, paths ?? ["."]);
      const git = await quietGit(workspace, options, context);
      const sparse = await isSparse(git);
      await readHead(git, sparse);
      must(await git(["add", "--all", ...(sparse ? ["--sparse"] : []), "--", ...places]));
      const only = paths === undefined ? [] : ["--only", "--", ...places];
      const flags = gitHooks ? [] : ["--no-verify"];
      const done = await git(["commit", ...flags, "--file=-", ...only], message);
      if (done.exit_code === 1 && /^(?:nothing|no changes) /m.test(done.stdout.text))
        throw failed("There is nothing to commit", "Change a file first");
      must(done);
      const commit = must(await git(["rev-parse", "HEAD"])).stdout.text.trim();
      return { status: "success", commit, summary: done.stdout.text };
    },
  });
}

/** The paths for git: the named ones, without hidden places. Throws BYLAW_PLACE_REFUSED. */
function pathspecsOf(workspace: Workspace, paths: readonly string[]): readonly string[] {
  const named = paths.map((text) => {
    const segments = workspace.segments(text);
    workspace.mayRead(segments);
    if (segments.some((name) => name.toLowerCase() === ".git"))
      throw refused(text, "belongs to git");
    return `:(literal)${segments.join("/") || "."}`;
  });
  return [...named, ...workspace.hidden.map((path) => `:(exclude,literal)${path}`)];
}

/** A git in which no setting of the repository starts a program, and no hook runs unless the options allow it. */
async function quietGit(
  { real }: Workspace,
  options: WorkspaceToolsOptions,
  context: CallContext,
): Promise<Git> {
  const { gitHooks = false } = options.programs ?? {};
  const settings = [...QUIET, SPARSE, ...(gitHooks ? [] : [NO_HOOKS])].flatMap((one) => [
    "-c",
    one,
  ]);
  // Hooks may need to fetch. Git itself needs nothing from elsewhere.
  const protocol = gitHooks ? {} : { GIT_ALLOW_PROTOCOL: "none" };
  const set = { ...environmentOf(real, context.agent), ...protocol };
  const git: Git = (args, stdin) => {
    const line = { argv: ["git", ...settings, ...args], cwd: real, timeoutMs: TIMEOUT_MS, set };
    return start({ ...line, ...omitUndefined({ stdin }) }, real, options, context);
  };
  const kinds = gitHooks ? (["filter"] as const) : (["filter", "hook"] as const);
  for (const kind of kinds) {
    const found = await git(["config", "--null", "--name-only", "--get-regexp", `^${kind}[.]`]);
    settings.push(...without(kind, found));
  }
  return git;
}

type Git = (args: readonly string[], stdin?: string) => Promise<ProgramEnd>;

async function isSparse(git: Git): Promise<boolean> {
  const set = await git(["config", "--type=bool", "--get", "core.sparseCheckout"]);
  if (set.exit_code === 1 && set.stdout.text === "") return false;
  if (must(set).stdout.text.trim() !== "true") return false;
  const version = must(await git(["version"])).stdout.text;
  const [major = 0, minor = 0] = (/^git version (\d+)\.(\d+)/.exec(version) ?? [])
    .slice(1)
    .map(Number);
  if (major < 2 || (major === 2 && minor < 36))
    throw failed(
      `A sparse checkout needs git 2.36 or later; this is ${version.trim()}`,
      "Run `git sparse-checkout disable`",
    );
  return true;
}

// Agents may have marked files in the index as not to be checked, so it is built anew. In a sparse checkout, the new index marks files that
// are left out and missing, because nobody deleted them.
async function readHead(git: Git, sparse: boolean): Promise<void> {
  const before = await git(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
  const has = before.exit_code === 0;
  must(await git(["read-tree", has && !sparse ? "HEAD" : "--empty"]));
  if (!has || !sparse) return;
  must(await git(["reset", "--quiet", "--", ":/"]));
  // Whatever the reset did, the index then has exactly the files of the last commit.
  must(await git(["read-tree", "-m", "HEAD"]));
}

// It finds no repository above the workspace, asks nobody, and names the agent as the author.
function environmentOf(real: string, agent: string): Readonly<Record<string, string>> {
  const name = agent.replace(/[<>\n\r\0]/g, "").trim() || "agent";
  const email = `${name.replace(/[^A-Za-z0-9._-]/g, "-")}@agents.invalid`;
  return {
    GIT_CEILING_DIRECTORIES: dirname(real),
    GIT_TERMINAL_PROMPT: "0",
    LC_ALL: "C",
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
  };
}

// Settings that turn off each of the found ones.
function without(kind: keyof typeof OFF, found: ProgramEnd): readonly string[] {
  if (found.exit_code === 1 && found.stdout.text === "") return [];
  const keys = must(found).stdout.text.split("\0");
  if (found.stdout.cut) throw failed(`The git configuration names too many ${kind}s`);
  const names = new Set(
    keys.flatMap((key) => (/^\w+\..*\./s.test(key) ? [key.slice(0, key.lastIndexOf("."))] : [])),
  );
  return [...names].flatMap((name) => {
    if (name.includes("="))
      throw failed(
        `The git configuration contains the name ${JSON.stringify(name)}, which contains "="`,
      );
    return OFF[kind].flatMap((setting) => ["-c", `${name}.${setting}`]);
  });
}

function must(end: ProgramEnd): ProgramEnd {
  if (end.exit_code === 0) return end;
  const said = (end.stderr.text.trim() || end.stdout.text.trim())
    .replace(/\s+/g, " ")
    .slice(0, 500);
  throw failed(`git failed: ${said || (end.signal ?? "it printed nothing")}`);
}

const failed = (message: string, fix?: string): BylawError =>
  new BylawError({ code: "BYLAW_PROGRAM_FAILED", message, fix });

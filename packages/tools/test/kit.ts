import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isRoot, ownerOf, NOBODY } from "@bylaw/process";
import {
  callTool,
  toolNamed,
  workspaceTools,
  type CallContext,
  type WorkspaceToolsOptions,
} from "../src/index.ts";

const folders: string[] = [];
// Not after each test file, because the files of one worker share this kit.
process.once("exit", () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Creates a folder with files, by path. */
export function folder(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "bylaw-tools-")));
  folders.push(root);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
}

// Git in these tests may run as root, and must read repositories of the other user. No program of an agent gets these variables.
process.env["GIT_CONFIG_GLOBAL"] = join(
  folder({ gitconfig: "[safe]\n\tdirectory = *\n" }),
  "gitconfig",
);

/** If the tests run as root, gives the files of a workspace to the user of agents' programs. */
export function give(workspace: string): void {
  if (!isRoot()) return;
  const { uid, gid } = ownerOf(workspace) ?? NOBODY;
  // `-h` follows no link, so nothing outside is changed.
  spawnSync("chown", ["-hR", "--from=0", `${uid}:${gid}`, workspace], { stdio: "inherit" });
}

/** The fields of all answers. Each tool has some of them. */
export interface Answer {
  readonly status: string;
  readonly content: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly exit_code: number | null;
  readonly truncated: unknown;
  readonly files: readonly unknown[];
  readonly matches: readonly {
    readonly file: string;
    readonly line: number;
    readonly content: string;
  }[];
  readonly results: readonly {
    readonly path: string;
    readonly matches: readonly { readonly line: number }[];
  }[];
  readonly commit: string;
}

/** Calls tools of one workspace. */
export function toolsIn(
  workspace: string,
  options: WorkspaceToolsOptions = {},
  context: Partial<CallContext> = {},
): (name: string, args: object) => Promise<Answer> {
  const tools = workspaceTools(options);
  return async (name, args) => {
    const tool = toolNamed(tools, name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    if (["bash", "git_commit"].includes(name) && options.programs?.allowRoot !== true)
      give(workspace);
    return (await callTool(tool, args, {
      agent: "ann",
      workspace,
      ...context,
    })) as unknown as Answer;
  };
}

export const REFUSED = { code: "BYLAW_PLACE_REFUSED" };
export const UNFIT = { code: "BYLAW_FILE_UNFIT" };

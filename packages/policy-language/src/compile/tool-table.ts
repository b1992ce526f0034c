/** The arguments of a file tool that name what the tool reads and writes. */
export interface FileTool {
  readonly read?: readonly string[] | undefined;
  readonly write?: readonly string[] | undefined;
  /** Arguments that hold the text of a patch. The patch names the files that it writes. */
  readonly patches?: readonly string[] | undefined;
  /** Arguments that are globs relative to the path. They must not leave it. */
  readonly globs?: readonly string[] | undefined;
  /** Whether the tool works on the working directory if it has no path argument. */
  readonly cwd?: boolean | undefined;
}

/** The tools that run a shell line, use files or open a URL, and the arguments that say which. */
export interface ToolTable {
  readonly shell: ReadonlyMap<string, string>;
  readonly files: ReadonlyMap<string, FileTool>;
  readonly network: ReadonlyMap<string, string>;
}

/** Additions of a configuration to {@link DEFAULT_TOOLS}. */
export interface ToolTableExtension {
  readonly shell?: { readonly [tool: string]: string } | undefined;
  readonly files?: { readonly [tool: string]: FileTool } | undefined;
  readonly network?: { readonly [tool: string]: string } | undefined;
}

const PATH = ["path", "file_path", "filePath", "absolute_path", "target_file", "filename", "file"];
const PATHS = [...PATH, "paths", "file_paths", "files"];
const FOLDER = [
  "path",
  "dir_path",
  "directory",
  "directory_path",
  "folder",
  "absolute_path",
  "target_directory",
  "relative_workspace_path",
];
const read = (args: readonly string[]): FileTool => ({ read: args });
const write = (args: readonly string[]): FileTool => ({ write: args });
/** Arguments of search tools that are globs for the files to search. */
export const GLOBS: readonly string[] = [
  "glob",
  "globs",
  "include",
  "includes",
  "include_pattern",
  "include_patterns",
  "file_pattern",
  "glob_pattern",
];
const search = (globs: readonly string[] = []): FileTool => ({
  read: [...new Set([...FOLDER, ...PATHS])],
  cwd: true,
  globs: [...GLOBS, ...globs],
});
const list: FileTool = { read: [...new Set([...FOLDER, ...PATHS])], cwd: true };
const FROM = [
  "source",
  "src",
  "from",
  "path",
  "file_path",
  "old_path",
  "old_name",
  "source_path",
  "sourcePath",
  "from_path",
  "oldPath",
];
const TO = [
  "destination",
  "dest",
  "target",
  "to",
  "new_path",
  "destination_path",
  "destinationPath",
  "dest_path",
  "to_path",
  "newPath",
];
const MOVE: FileTool = { write: [...FROM, ...TO, "new_name", "newName"] };

const PATCH: FileTool = {
  write: PATH,
  patches: ["input", "patch", "diff", "patch_text", "patchText"],
};

const FILES: Readonly<Record<string, FileTool>> = {
  read_file: read(PATH),
  read_files: read(PATHS),
  read_many_files: read([...PATHS, "include"]),
  view_file: read(PATH),
  open_file: read(PATH),
  read: read(PATH),
  Read: read(PATH),
  view: read(PATH),
  view_image: read(PATH),
  NotebookRead: read(["notebook_path", ...PATH]),
  list_dir: list,
  list_directory: list,
  LS: list,
  ls: list,
  list,
  grep: search(),
  Grep: search(),
  rg: search(),
  grep_search: search(),
  search_file_content: search(),
  search_files: search(),
  search_codebase: search(),
  codebase_search: search(["target_directories"]),
  glob: search(["pattern"]),
  find: search(["pattern"]),
  Glob: search(["pattern", "patterns"]),
  glob_file_search: search(["pattern"]),
  write_file: write(PATH),
  write_files: write(PATHS),
  write: write(PATH),
  create: write(PATH),
  Create: write(PATH),
  create_file: write(PATH),
  update_file: write(PATH),
  modify_file: write(PATH),
  append_file: write(PATH),
  edit_file: write(PATH),
  edit_files: write(PATHS),
  edit: write(PATH),
  replace: write(PATH),
  search_replace: write(PATH),
  str_replace_editor: write(PATH),
  apply_patch: PATCH,
  ApplyPatch: PATCH,
  edit_patch: PATCH,
  patch: PATCH,
  delete_file: write(PATH),
  delete_path: write(PATH),
  create_dir: write(FOLDER),
  create_directory: write(FOLDER),
  rename_path: MOVE,
  move_file: MOVE,
  copy_file: { read: FROM, write: [...TO, "new_name", "newName"] },
  Write: write(PATH),
  Edit: write(PATH),
  MultiEdit: write(PATH),
  NotebookEdit: write(["notebook_path", ...PATH]),
  notebook_edit: write(["notebook_path", ...PATH]),
};

const LINES = [
  ...["run_shell_command", "run_terminal_cmd", "run_in_terminal", "bash", "Bash", "Execute"],
  ...["execute_bash", "shell", "shell_command", "execute_command", "run_terminal_command"],
  ...["Monitor", "monitor"],
];
const URLS = [
  ...["web_fetch", "http_request", "fetch", "fetch_url", "WebFetch", "webfetch", "FetchUrl"],
  "browser_navigate",
];

/** The tools that a policy knows by default. */
export const DEFAULT_TOOLS: ToolTable = {
  shell: new Map(LINES.map((name) => [name, "command"])),
  files: new Map(Object.entries(FILES)),
  network: new Map(URLS.map((name) => [name, "url"])),
};

/** Tools that expand wildcards in their path arguments. */
export const EXPANDS: ReadonlySet<string> = new Set(["read_many_files", "read_files"]);

/** Tools that have a source and a destination, with the arguments of each. */
export const COPIES: ReadonlyMap<
  string,
  { readonly from: readonly string[]; readonly to: readonly string[] }
> = new Map(
  ["copy_file", "move_file", "rename_path"].map((name) => [name, { from: FROM, to: TO }]),
);

/** Tools that act on everything below a folder. `asked`: only if an argument says so. Other tools do so when they search. */
export const RECURSIVE: ReadonlyMap<string, "always" | "asked"> = new Map([
  ...["read_many_files", "delete_file", "delete_path", "rename_path", "move_file", "copy_file"].map(
    (name) => [name, "always"] as const,
  ),
  ...["list_dir", "list_directory", "LS", "ls", "list"].map((name) => [name, "asked"] as const),
]);

const SEARCHES = [
  ...["grep", "Grep", "rg", "grep_search", "search_file_content", "search_files"],
  ...["codebase_search", "search_codebase"],
];

/**
 * Tools that print what is in the files below a folder, hidden ones too: those of Claude Code, Gemini CLI, Qwen Code and opencode run
 * ripgrep with `--hidden`. `unignored`: they leave out what git ignores. An argument of `read_many_files` can turn that off.
 */
export const PRINTS: ReadonlyMap<string, "all" | "unignored"> = new Map([
  ["read_many_files", "all"],
  ...SEARCHES.map((name) => [name, "unignored"] as const),
]);

/** Arguments of a shell tool that change neither what runs nor where it runs. */
export const HARMLESS_BESIDE_A_LINE: ReadonlySet<string> = new Set([
  "description",
  "timeout",
  "timeout_ms",
  "run_in_background",
  "is_background",
  "isBackground",
  "explanation",
  "id",
]);

/** What the shell tool of one agent does with its other arguments. */
export interface AgentShell {
  /** The argument that says where the line runs. */
  readonly folder?: string;
  /** More arguments that change neither what runs nor where it runs. */
  readonly harmless?: ReadonlySet<string>;
}

/** By the host that reports the call. Another tool of the same name could ignore such an argument, or mean something else by it. */
export const AGENT_SHELLS: ReadonlyMap<string, AgentShell> = new Map([
  ["gemini-cli", { folder: "dir_path", harmless: new Set(["delay_ms"]) }],
  ["qwen-code", { folder: "directory", harmless: new Set(["max_events", "idle_timeout_ms"]) }],
  ["opencode", { folder: "workdir" }],
  ["copilot", { harmless: new Set(["shellId", "mode", "detach", "initial_wait"]) }],
  ["droid", { harmless: new Set(["summary", "riskLevel", "riskLevelReason", "fireAndForget"]) }],
]);

/** Arguments of a shell tool that say where the line runs. */
export const WORKING_FOLDERS: readonly string[] = [
  "directory",
  "dir_path",
  "cwd",
  "workdir",
  "working_directory",
  "workingDirectory",
];

/** Argument names that count as paths for tools that the table does not list. Only denies and asks use them. */
export const GENERIC_PATHS: readonly string[] = [
  "path",
  "file_path",
  "file",
  "filename",
  "absolute_path",
  "paths",
  "notebook_path",
  "target_file",
];

/** Returns the default table with additions. An addition replaces the default entry of the same name. */
export function extendTools(extension: ToolTableExtension = {}): ToolTable {
  return {
    shell: new Map([...DEFAULT_TOOLS.shell, ...Object.entries(extension.shell ?? {})]),
    files: new Map([...DEFAULT_TOOLS.files, ...Object.entries(extension.files ?? {})]),
    network: new Map([...DEFAULT_TOOLS.network, ...Object.entries(extension.network ?? {})]),
  };
}

/** The arguments of a file tool that name what it reads and what it writes. */
export interface FileTool {
  readonly read?: readonly string[] | undefined;
  readonly write?: readonly string[] | undefined;
  /** Arguments that are globs below the path: they must not leave it. */
  readonly globs?: readonly string[] | undefined;
  /** Without a path argument the tool works on the working directory. */
  readonly cwd?: boolean | undefined;
}

/** Which tools run a shell line, touch files or open a URL, and by which argument. */
export interface ToolTable {
  readonly shell: ReadonlyMap<string, string>;
  readonly files: ReadonlyMap<string, FileTool>;
  readonly network: ReadonlyMap<string, string>;
}

/** What a configuration adds to the {@link DEFAULT_TOOLS}. */
export interface ToolTableExtension {
  readonly shell?: { readonly [tool: string]: string } | undefined;
  readonly files?: { readonly [tool: string]: FileTool } | undefined;
  readonly network?: { readonly [tool: string]: string } | undefined;
}

const PATH = ["path", "file_path", "absolute_path", "target_file", "filename", "file"];
const PATHS = [...PATH, "paths", "file_paths", "files"];
const FOLDER = ["path", "dir_path", "directory", "absolute_path", "target_directory", "relative_workspace_path"];
const read = (args: readonly string[]): FileTool => ({ read: args });
const write = (args: readonly string[]): FileTool => ({ write: args });
const search = (extra: FileTool = {}): FileTool => ({ read: [...new Set([...FOLDER, ...PATHS])], cwd: true, ...extra });

const FILES: Readonly<Record<string, FileTool>> = {
  read_file: read(PATH),
  read_files: read(PATHS),
  read_many_files: read([...PATHS, "include"]),
  view_file: read(PATH),
  open_file: read(PATH),
  Read: read(PATH),
  NotebookRead: read(["notebook_path", ...PATH]),
  list_dir: search(),
  list_directory: search(),
  LS: search(),
  ls: search(),
  grep: search({ globs: ["glob", "include"] }),
  Grep: search({ globs: ["glob"] }),
  grep_search: search({ globs: ["include", "include_pattern"] }),
  search_file_content: search({ globs: ["include"] }),
  codebase_search: search({ globs: ["target_directories"] }),
  glob: search({ globs: ["pattern"] }),
  Glob: search({ globs: ["pattern"] }),
  glob_file_search: search({ globs: ["glob_pattern", "pattern"] }),
  write_file: write(PATH),
  write_files: write(PATHS),
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
  delete_file: write(PATH),
  delete_path: write(PATH),
  create_dir: write(FOLDER),
  create_directory: write(FOLDER),
  rename_path: write(["path", "old_path", "new_path", "source", "destination", "from", "to"]),
  move_file: write(["path", "source", "destination", "from", "to", "old_path", "new_path"]),
  copy_file: { read: ["source", "from"], write: ["destination", "to"] },
  Write: write(PATH),
  Edit: write(PATH),
  MultiEdit: write(PATH),
  NotebookEdit: write(["notebook_path", ...PATH]),
};

/** The tools that a policy knows without being told. */
export const DEFAULT_TOOLS: ToolTable = {
  shell: new Map(["run_shell_command", "run_terminal_cmd", "bash", "Bash", "shell", "execute_command"].map((name) => [name, "command"])),
  files: new Map(Object.entries(FILES)),
  network: new Map(["web_fetch", "http_request", "fetch", "fetch_url", "WebFetch", "browser_navigate"].map((name) => [name, "url"])),
};

/** Argument names that are taken for paths in tools that the table does not know; only to deny or to ask. */
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

/** The default table with additions; an addition replaces the entry of that name. */
export function extendTools(extension: ToolTableExtension = {}): ToolTable {
  return {
    shell: new Map([...DEFAULT_TOOLS.shell, ...Object.entries(extension.shell ?? {})]),
    files: new Map([...DEFAULT_TOOLS.files, ...Object.entries(extension.files ?? {})]),
    network: new Map([...DEFAULT_TOOLS.network, ...Object.entries(extension.network ?? {})]),
  };
}

/** The last segment of a program's path. */
export function baseName(program: string): string {
  return program.slice(program.lastIndexOf("/") + 1);
}

const SYSTEM_FOLDERS: ReadonlySet<string> = new Set(["/bin/", "/usr/bin/", "/usr/local/bin/"]);

/** Strips the folder from a program in a system folder; returns any other text unchanged. */
export function bareName(program: string): string {
  const base = baseName(program);
  return SYSTEM_FOLDERS.has(program.slice(0, program.length - base.length)) ? base : program;
}

/** The last part of a program's path. */
export function baseName(program: string): string {
  return program.slice(program.lastIndexOf("/") + 1);
}

const SYSTEM_FOLDERS: ReadonlySet<string> = new Set(["/bin/", "/usr/bin/", "/usr/local/bin/"]);

/** The bare name of a program in a system folder; any other text as it is. */
export function bareName(program: string): string {
  const base = baseName(program);
  return SYSTEM_FOLDERS.has(program.slice(0, program.length - base.length)) ? base : program;
}

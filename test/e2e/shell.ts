import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { BIN, scratch, type Ran } from "./bylaw.ts";

/** Runs a line or a script as a reader would paste it, with the built command as `bylaw` and `npx bylaw`. */
export function shell(script: string, cwd: string): Ran {
  // What a page installs for a user goes into this home folder.
  const home = scratch();
  const tools = join(home, "bin");
  mkdirSync(tools);
  const command = `exec "${process.execPath}" "${BIN}" "$@"\n`;
  writeFileSync(join(tools, "bylaw"), `#!/bin/sh\n${command}`);
  writeFileSync(join(tools, "npx"), `#!/bin/sh\n[ "$1" = bylaw ] || exit 127\nshift\n${command}`);
  for (const tool of ["bylaw", "npx"]) chmodSync(join(tools, tool), 0o755);
  const { status, stdout, stderr } = spawnSync("sh", ["-c", script], {
    cwd,
    encoding: "utf8",
    env: { ...process.env, HOME: home, PATH: `${tools}${delimiter}${process.env["PATH"] ?? ""}` },
  });
  return { code: status, stdout, stderr };
}

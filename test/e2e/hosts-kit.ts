import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { bylaw, scratch, type Ran } from "./bylaw.ts";

/** A user's home with a project in it, and the commands of Bylaw there. */
export interface Desk {
  readonly home: string;
  readonly project: string;
  readonly bylaw: (...args: readonly string[]) => Ran;
  /** Runs the installed command as the host does: with a shell, in `cwd`. */
  readonly event: (input: string | object, options?: EventOptions) => Ran;
}

interface EventOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Files of a home: those of the project stand below `project/`. */
export function deskOf(
  files: Readonly<Record<string, string>>,
  settings: string,
  variables: (project: string) => Readonly<Record<string, string>>,
): Desk {
  const home = scratch({ "project/x": "", ...files });
  const project = join(home, "project");
  const env = { HOME: home, BYLAW_OPERATOR_TOKEN: "" };
  return {
    home,
    project,
    bylaw: (...args) => bylaw(args, { cwd: project, env }),
    event(input, { cwd = project, env: more = {} } = {}) {
      const text = readFileSync(join(home, settings), "utf8");
      const [line = '""'] = /"NODE_OPTIONS= (?:[^"\\]|\\.)*"/.exec(text) ?? [];
      const command = JSON.parse(line) as string;
      const { status, stdout, stderr } = spawnSync("sh", ["-c", command], {
        cwd,
        input: typeof input === "string" ? input : JSON.stringify(input),
        env: { PATH: process.env["PATH"] ?? "", ...env, ...variables(project), ...more },
        encoding: "utf8",
        timeout: 60_000,
      });
      expect(`${stdout}\n${stderr}`).not.toMatch(/^\s+at .*[:(]/m);
      return { code: status, stdout, stderr };
    },
  };
}

import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { bylaw, bylawHere, scratch, type Ran } from "./bylaw.ts";
import { enginesIn, signal } from "./engine-kit.ts";

/** A user's home folder with a project in it, and the `bylaw` command run there. */
export interface Desk {
  readonly home: string;
  readonly project: string;
  readonly bylaw: (...args: readonly string[]) => Ran;
  /** Runs the command in this process. */
  readonly here: (...args: readonly string[]) => Promise<Ran>;
  /** Writes a file, given by its path from the home folder. */
  readonly write: (file: string, text: string) => void;
  /** The installed command. */
  readonly command: () => string;
  /** Runs the installed command like the host: in a shell, in `cwd`. */
  readonly event: (input: string | object, options?: EventOptions) => Ran;
}

interface EventOptions {
  /** Default: the command that is installed now. */
  readonly command?: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Makes a desk with these files. Those of the project are below `project/`. */
export function deskOf(
  files: Readonly<Record<string, string>>,
  settings: string,
  variables: (project: string) => Readonly<Record<string, string>>,
): Desk {
  const home = scratch({ "project/x": "", ...files });
  const project = join(home, "project");
  const env = { HOME: home, BYLAW_OPERATOR_TOKEN: "" };
  const run = join(home, "run");
  const withEngine = (args: readonly string[]): readonly string[] =>
    args[0] === "install" ? [...args, "--engine", run] : args;
  onTestFinished(() => enginesIn(run).forEach((pid) => signal(pid, "SIGKILL")));
  const command = (): string => {
    const text = readFileSync(join(home, settings), "utf8");
    const [line = '""'] = /"(?:NODE_OPTIONS=|\/bin\/sh|\[ -f) (?:[^"\\]|\\.)*"/.exec(text) ?? [];
    return JSON.parse(line) as string;
  };
  return {
    home,
    project,
    bylaw: (...args) => bylaw(withEngine(args), { cwd: project, env }),
    here: (...args) => bylawHere(withEngine(args), { cwd: project, env }),
    write(file, text) {
      mkdirSync(join(home, file, ".."), { recursive: true });
      writeFileSync(join(home, file), text, { mode: 0o755 });
    },
    command,
    event(input, { cwd = project, env: more = {}, command: line = command() } = {}) {
      const { status, stdout, stderr } = spawnSync("sh", ["-c", line], {
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

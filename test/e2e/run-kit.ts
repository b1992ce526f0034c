import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bylawHere, jsonLines, scratch, type Ran } from "./bylaw.ts";

/** A program that notes its step, visit and agent, and makes the request in the file of `requests` with that name. */
const AGENT = `echo "$BYLAW_STEP.$BYLAW_VISIT.$BYLAW_AGENT" >> ran.txt
if [ -f "requests/$BYLAW_STEP.$BYLAW_VISIT.$BYLAW_AGENT" ]; then cp "requests/$BYLAW_STEP.$BYLAW_VISIT.$BYLAW_AGENT" "$BYLAW_CONTROL_FILE"; fi
`;

const run = { command: ["sh", "agent.sh"] };
/** A step of the agent `worker`. */
export const step = (id: string, more: object = {}): object => ({ id, agent: "worker", ...more });

// The operators who may end a pause, each with a token. `worker` is also the name of an agent.
export const tokenOf = (name: string): string => `the token of ${name}, which is long enough`;
const OPERATORS = JSON.stringify({
  operators: ["ada", "worker"].map((name) => ({
    name,
    token: `sha256:${createHash("sha256").update(tokenOf(name)).digest("hex")}`,
  })),
});

/** One project with a workflow, run by the real command. */
export interface Project {
  readonly cwd: string;
  /** Runs the workflow, with the token of the operator named after `--by`. */
  go(...args: readonly string[]): Promise<Ran>;
  /** The same without a token. */
  try(...args: readonly string[]): Promise<Ran>;
  /** Step, visit and agent of everything that ran, in order. */
  trace(): readonly string[];
  /** The events of the run `w`, or those of one type. */
  events(type?: string): Promise<readonly Record<string, unknown>[]>;
}

export interface ProjectParts {
  readonly steps: readonly object[];
  readonly requests?: Readonly<Record<string, object | string>>;
  readonly more?: object;
  readonly files?: Readonly<Record<string, string>>;
}

export function project({ steps, requests = {}, more = {}, files = {} }: ProjectParts): Project {
  const agents = { worker: { run }, helper: { run }, second: { run } };
  const cwd = scratch({
    "w.json": JSON.stringify({ bylaw: 1, name: "w", agents, steps, ...more }),
    "agent.sh": AGENT,
    ".bylaw/operators.json": OPERATORS,
    ...Object.fromEntries(
      Object.entries(requests).map(([name, request]) => [
        `requests/${name}`,
        typeof request === "string" ? request : JSON.stringify(request),
      ]),
    ),
    ...files,
  });
  const events = async (type?: string): Promise<readonly Record<string, unknown>[]> => {
    const args = [
      "log",
      "query",
      "--store",
      ".bylaw/store.db",
      "--run",
      "w",
      "--json",
      ...(type === undefined ? [] : ["--type", type]),
    ];
    return jsonLines(await bylawHere(args, { cwd }));
  };
  return {
    cwd,
    go: (...args) => {
      const name = args[args.indexOf("--by") + 1];
      const env =
        args.includes("--by") && name !== undefined ? { BYLAW_OPERATOR_TOKEN: tokenOf(name) } : {};
      return bylawHere(["run", "w.json", ...args], { cwd, env });
    },
    try: (...args) => bylawHere(["run", "w.json", ...args], { cwd }),
    trace: () =>
      existsSync(join(cwd, "ran.txt"))
        ? readFileSync(join(cwd, "ran.txt"), "utf8").trim().split("\n")
        : [],
    events,
  };
}

/** The names of the steps in a trace, without visits and agents. */
export const stepsOf = (trace: readonly string[]): readonly string[] =>
  trace.map((line) => line.split(".")[0] ?? "");

/** Replaces a file of a project. */
export const change = ({ cwd }: Project, file: string, text: string): void =>
  writeFileSync(join(cwd, file), text);

import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createKernel, type Decision, type JsonObject, type Kernel } from "@bylaw/kernel";
import { temporaryFolder } from "@bylaw/testing";
import { phases } from "../src/index.ts";

export const CONTRACT = join(import.meta.dirname, "fixtures/agent_workflow.yaml");

/** The `elsewhere` option of a configuration with only this plugin. */
export const ALONE = ["artifacts", "gates", "tokens"] as const;

export interface Place {
  readonly folder: string;
  readonly kernel: Kernel;
  /** The decision about one call in one phase. */
  readonly ask: (
    phase: string | undefined,
    tool: string,
    args: JsonObject,
    fields?: object,
  ) => Promise<Decision>;
  /** The code of that decision. */
  readonly code: (
    phase: string,
    tool: string,
    args: JsonObject,
    fields?: object,
  ) => Promise<string>;
  /** The code of a shell line. */
  readonly line: (phase: string, command: string) => Promise<string>;
}

/** A workspace with the contract in it. `change`: the text of the contract. */
export function place(options: object = {}, change?: string): Place {
  const folder = temporaryFolder();
  for (const name of ["src", "tests", ".git"]) mkdirSync(join(folder, name));
  const file = join(folder, "agent_workflow.yaml");
  if (change === undefined) copyFileSync(CONTRACT, file);
  else writeFileSync(file, change);
  const kernel = createKernel({
    plugins: [phases({ contract: file, elsewhere: [...ALONE], ...options })],
  });
  const ask: Place["ask"] = async (phase, tool, args, fields = {}) => {
    const context = {
      task: "t1",
      agent: "ann",
      cwd: folder,
      workspace: folder,
      interactive: false,
    };
    const call = {
      hook: "beforeToolCall",
      tool,
      args,
      ...context,
      ...(phase === undefined ? {} : { phase }),
      ...fields,
    } as const;
    return kernel.decide(await kernel.prepare(call));
  };
  const code: Place["code"] = async (phase, tool, args, fields) =>
    (await ask(phase, tool, args, fields)).code;
  return { folder, kernel, ask, code, line: (phase, command) => code(phase, "bash", { command }) };
}

/** The contract's text without a test command, so that no tests are judged. */
export const untested = (text: string): string =>
  text
    .replace(/test_command:[^]*/, "")
    .replaceAll(
      /check: (tests_are_failing|all_tests_pass)/g,
      "check: plan_has_acceptance_criteria",
    );

import { createHash } from "node:crypto";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { createConfiguredKernel } from "@bylaw/config";
import type { Decision, JsonObject } from "@bylaw/kernel";
import { openRun, type Outcome, type Run } from "@bylaw/log";
import type { Store } from "@bylaw/store";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { onTestFinished } from "vitest";
import { root } from "../contract/workspaces.ts";
import { bylawHere, jsonLines, scratch, type Ran } from "./bylaw.ts";

const CONFIG = `
import { allow, ask, defineConfig, definePlugin } from "@bylaw/kernel";
import { gates } from "@bylaw/plugin-gates";
import { z } from "zod";

const opens = definePlugin({
  name: "@test/opens",
  version: "1.0.0",
  options: z.undefined(),
  grants: true,
  apply({ hooks }) {
    hooks.onTransition.tap("open", () => allow("open"));
    hooks.beforeToolCall.tap("open", ({ tool }) => (tool === "deploy" ? ask("Unexpected deployment") : allow("fine")));
  },
});
export default defineConfig({ plugins: [gates({ contract: "agent_workflow.yaml" }), opens()] });
`;

export const CONTRACT = `
bylaw: 1
name: Two steps
phases:
  - id: PLAN
    name: Plan
    allowed_tools: [read_files]
    required_artifacts:
      - type: plan_document
        schema: plan
    gates:
      - id: plan_approval
        type: approval
        approvers: [human, lead]
        blockers:
          - check: plan_has_acceptance_criteria
            message: Say how it is seen that the work is done
  - id: BUILD
    name: Build
    allowed_tools: [read_files]
    gates:
      - id: build_approval
        type: approval
        approvers: [human]
        quorum: 2
        blockers: []
  - id: DONE
    name: Done
    allowed_tools: [read_files]
transitions:
  - from: PLAN
    to: BUILD
    gate: plan_approval
  - from: BUILD
    to: DONE
    gate: build_approval
  - from: BUILD
    to: PLAN
    gate: build_approval
    when: rejected
enforcement:
  mode: strict
schemas:
  plan:
    type: object
    required: [acceptance_criteria]
`;

/** Tokens of operators, and the names behind them. */
export const TOKENS = {
  ada: "ada's token of this test, long enough",
  bob: "bob's token of this test, long enough",
  ci: "the token of a machine, long enough",
} as const;

const digest = (token: string): string =>
  `sha256:${createHash("sha256").update(token).digest("hex")}`;

export const OPERATORS = JSON.stringify({
  operators: [
    { name: "ada", roles: ["human", "lead"], token: digest(TOKENS.ada) },
    { name: "bob", roles: ["human"], token: digest(TOKENS.bob) },
    { name: "ci", roles: ["lead"], token: digest(TOKENS.ci) },
  ],
});

/** A project with a host that keeps a run, in this process. */
export interface Project {
  readonly cwd: string;
  readonly store: Store;
  readonly run: Run;
  /** Starts the built command with the options that all commands of the test take. */
  readonly approve: (args: readonly string[], token?: string) => Promise<Ran>;
  readonly list: () => Promise<readonly Record<string, unknown>[]>;
  readonly move: (to: string, artifacts: JsonObject, agent?: string) => Promise<Decision>;
  readonly call: (args: JsonObject, fields?: JsonObject) => Promise<Outcome>;
}

export const planOf = (criterion: string): JsonObject => ({
  plan_document: { acceptance_criteria: [{ criterion, how_to_verify: "run the tests" }] },
});

interface ProjectOptions {
  /** The clock of the host. */
  readonly now?: () => string;
  /** Edits the text of the configuration. */
  readonly config?: (text: string) => string;
}

export async function project(
  files: Readonly<Record<string, string>> = {},
  { now, config = (text) => text }: ProjectOptions = {},
): Promise<Project> {
  const own = {
    "bylaw.config.mjs": config(CONFIG),
    "agent_workflow.yaml": CONTRACT,
    ".bylaw/operators.json": OPERATORS,
  };
  const cwd = scratch({ ...own, ...files });
  symlinkSync(join(root, "node_modules"), join(cwd, "node_modules"));
  const store = await openSqliteStore(join(cwd, "runs.db"));
  onTestFinished(() => store.close());
  const { kernel } = await createConfiguredKernel({ file: join(cwd, "bylaw.config.mjs") });
  const run = await openRun(kernel, { run: "main", store, ...(now === undefined ? {} : { now }) });
  onTestFinished(() => run.close());
  await run.transition({ agent: "dev-1", task: "T1", to: "PLAN", artifacts: {} });
  const approve = (args: readonly string[], token: string = TOKENS.ada): Promise<Ran> =>
    bylawHere(
      ["approve", ...args, "--store", "runs.db", "--run", "main", "--config", "bylaw.config.mjs"],
      { cwd, env: { BYLAW_OPERATOR_TOKEN: token } },
    );
  return {
    cwd,
    store,
    run,
    approve,
    list: async () => jsonLines(await approve(["list", "--json"], "")),
    move: async (to, artifacts, agent = "dev-1") =>
      (await run.transition({ agent, task: "T1", to, artifacts })).decision,
    call: (args, fields = {}) =>
      run.toolCall({
        agent: "dev-1",
        task: "T1",
        tool: "deploy",
        args,
        cwd,
        workspace: cwd,
        ...fields,
      }),
  };
}

import {
  createKernel,
  definePlugin,
  type Decision,
  type JsonObject,
  type ToolCall,
} from "@bylaw/kernel";
import { compilePolicy, parsePolicy, type RuleReport } from "@bylaw/policy-language";
import { resolvePaths } from "@bylaw/policy-language/real-paths";
import { z } from "zod";

const FILE = "policy.toml";
const PATHS = "playground";

/** What a policy says about a call, and how near each rule came. */
export interface Answer {
  readonly decision: Decision;
  readonly rules: readonly RuleReport[];
}

/** Decides as the policy plugin does. Throws a `PolicyError` with the line, or a `BylawError`. */
export async function decide(text: string, tool: string, args: JsonObject): Promise<Answer> {
  const policy = parsePolicy(text, { file: FILE, operator: true });
  const pool = compilePolicy([policy], { pathsFact: PATHS });
  const plugin = definePlugin({
    name: PATHS,
    version: "0.0.0",
    options: z.strictObject({}).prefault({}),
    grants: true,
    apply(kernel) {
      kernel.hooks.beforeToolCall.tapPromise("rules", (call) => pool.evaluateConditional(call));
      if (pool.fallback !== undefined) kernel.fallback(pool.fallback);
      kernel.unmatched((call) => pool.unmatched(call));
      kernel.prepare("paths", (subject) =>
        subject.hook === "beforeToolCall" ? pathsOf(subject) : undefined,
      );
    },
  });
  const pathsOf = (call: ToolCall): JsonObject | undefined =>
    resolvePaths(call, pool.pathsToResolve(call), { globs: pool.globsToResolve(call) });
  const kernel = createKernel({ plugins: [plugin()] });
  const call: ToolCall = {
    hook: "beforeToolCall",
    tool,
    args,
    cwd: "/home/you/project",
    workspace: "/home/you/project",
    home: "/home/you",
  };
  const prepared = await kernel.prepare(call);
  return { decision: await kernel.decide(call), rules: pool.explain(prepared as ToolCall) };
}

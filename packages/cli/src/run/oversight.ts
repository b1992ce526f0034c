import type { Run } from "@bylaw/log";
import type { ConstitutionRule } from "@bylaw/plugin-constitution";
import { omitUndefined } from "@bylaw/kernel";
import type { Oversight, OversightService } from "@bylaw/plugin-vibecheck";
import {
  runCommand,
  stepEnvironment,
  type OversightAdvice,
  type OversightQuestion,
  type Template,
} from "@bylaw/runner";
import { parseJson } from "@bylaw/config";
import type { RunPlugins } from "./run-kernel.ts";

/** The rules in force for an agent, or for steps without an agent. */
export type RulesOf = (agent: string | null) => readonly ConstitutionRule[];

/** Returns a function that asks the template's oversight service and records the answer. Undefined if the template names no service. */
export function overseerOf(
  { oversight }: Template,
  run: Run,
  {
    workspace,
    plugins,
    rulesOf,
  }: { readonly workspace: string; readonly plugins: RunPlugins; readonly rulesOf: RulesOf },
): ((question: OversightQuestion) => Promise<OversightAdvice>) | undefined {
  if (oversight === null) return undefined;
  const { url, command, mcp, timeout_seconds } = oversight;
  const timeout_ms = timeout_seconds * 1_000;
  const { httpOversight, proseOversight, requestOversight } = plugins.vibecheck;
  const { publishedRules } = plugins.constitution;
  const service =
    mcp !== null
      ? serverOversight(mcp, { workspace, timeout_ms, proseOversight })
      : url === null
        ? programOversight(command ?? [], workspace, timeout_ms)
        : httpOversight(url);
  return async ({ agent, kind, goal, plan, reason, prompt, history, progress }) => {
    const { rules, left_out } = publishedRules(rulesOf(agent));
    const held = rules.length === 0 ? {} : { rules, rules_left_out: left_out };
    const asked = {
      ...omitUndefined({ agent: agent ?? undefined, reason: reason ?? undefined }),
      ...(prompt === "" ? {} : { prompt }),
      ...{ history, progress, uncertainties: reason === null ? [] : [reason] },
    };
    const given = await requestOversight(run, service, {
      agent,
      task: null,
      request: { kind, goal, plan, ...asked, ...held },
      timeout_ms,
    });
    return adviceOf(given);
  };
}

/** The oversight's answer, in the form that the agent gets. */
export function adviceOf({ verdict, events }: Oversight): OversightAdvice {
  if (verdict !== undefined) return { risk: verdict.risk, advice: verdict.advice };
  return { risk: null, advice: String(events.at(-1)?.details["error"] ?? "no answer") };
}

/** Asks a tool of an MCP server that is started for the question. A verdict as JSON is used as it is; prose is scored by its words. */
function serverOversight(
  { command, tool }: NonNullable<NonNullable<Template["oversight"]>["mcp"]>,
  {
    workspace,
    timeout_ms,
    proseOversight,
  }: { readonly workspace: string; readonly timeout_ms: number } & Pick<
    RunPlugins["vibecheck"],
    "proseOversight"
  >,
): OversightService {
  const name = `${(command[0] ?? "").slice(-100)} ${tool}`;
  return {
    name,
    async ask(request, signal) {
      const { askTool } = await import("@bylaw/host-mcp");
      const { goal, plan, kind, prompt, progress, uncertainties, rules = [] } = request;
      // The argument names of existing servers. Each server ignores those that it does not know.
      const args = {
        goal,
        plan,
        phase: kind,
        ...omitUndefined({ userPrompt: prompt, progress, uncertainties }),
        ...(rules.length === 0 ? {} : { taskContext: JSON.stringify({ rules }) }),
      };
      const { data, text } = await askTool({
        command,
        tool,
        args,
        cwd: workspace,
        env: stepEnvironment([], {}, workspace),
        timeout_ms,
        signal,
      });
      return data ?? proseOversight(name, () => Promise.resolve(text)).ask(request, signal);
    },
  };
}

/** Runs a program that reads the request as JSON and prints the verdict. */
function programOversight(
  command: readonly string[],
  cwd: string,
  timeoutMs: number,
): OversightService {
  return {
    name: (command[0] ?? "").slice(-200),
    async ask(request, signal) {
      const { ended, text } = await runCommand({
        argv: command,
        cwd,
        env: stepEnvironment([], {}, cwd),
        stdin: JSON.stringify(request),
        timeoutMs,
        signal,
      });
      if (!ended.ok || text === null)
        throw new Error(
          ended.error ?? `The oversight program ended with exit code ${String(ended.exit_code)}`,
        );
      return parseJson(text);
    },
  };
}

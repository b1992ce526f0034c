import type { Run } from "@bylaw/log";
import type { OversightService } from "@bylaw/plugin-vibecheck";
import { runCommand, stepEnvironment, type OversightQuestion, type Template } from "@bylaw/runner";
import { parseJson } from "@bylaw/config";
import type { RunPlugins } from "./run-kernel.ts";

/** Asks whom the template names, and puts on record what came of it; `undefined` where it names nobody. */
export function overseerOf(
  { oversight }: Template,
  run: Run,
  { workspace, plugins }: { readonly workspace: string; readonly plugins: RunPlugins },
): ((question: OversightQuestion) => Promise<unknown>) | undefined {
  if (oversight === null) return undefined;
  const { url, command, timeout_seconds } = oversight;
  const timeout_ms = timeout_seconds * 1_000;
  const { httpOversight, oversee } = plugins.vibecheck;
  const { constitutionOf, toldRules } = plugins.constitution;
  const service = url === null ? programOversight(command ?? [], workspace, timeout_ms) : httpOversight(url);
  return ({ agent, kind, goal, plan }) => {
    const { rules, left_out } = toldRules(constitutionOf(run));
    const held = rules.length === 0 ? {} : { rules, rules_left_out: left_out };
    return oversee(run, service, { agent, task: null, request: { kind, goal, plan, ...held }, timeout_ms });
  };
}

/** A program that reads the request as JSON, and prints the verdict. */
function programOversight(command: readonly string[], cwd: string, timeoutMs: number): OversightService {
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
        throw new Error(ended.error ?? `Unexpected end of the oversight with code ${String(ended.exit_code)}, expected 0`);
      return parseJson(text);
    },
  };
}

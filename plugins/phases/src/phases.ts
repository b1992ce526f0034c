import { dirname } from "node:path";
import { allow, definePlugin, freezeJson, type ToolCall, type Verdict } from "@bylaw/kernel";
import { quote } from "@bylaw/wording";
import { CODES, type RuleReference } from "./codes.ts";
import manifest from "../package.json" with { type: "json" };
import { judgeCall, prepareCall } from "./call.ts";
import { checkEnforced } from "./enforced.ts";
import { compileContract, type Compiled } from "./compile.ts";
import { EVENT_TYPES } from "./directive-events.ts";
import { directiveGuard } from "./directive-guard.ts";
import { directiveState } from "./directive-state.ts";
import { phaseOptions } from "./options.ts";
import { judgeDirectives, judgeTransition } from "./transition.ts";

/**
 * Codes that hold in every mode, and if the contract only warns about calls or does not judge them: protected files, the end of a
 * task, and unknown phases.
 */
const NEVER_SOFTENED: ReadonlySet<string> = new Set([
  "phase_protected",
  "phase_task_completed",
  "phase_target_unknown",
]);

/** Restricts every task to the tools and transitions of its phase in the workflow contract. Denies by default. */
export const phases = definePlugin({
  name: manifest.name,
  version: manifest.version,
  options: phaseOptions,
  grants: true,
  neverSoftened: [...NEVER_SOFTENED],
  codes: CODES,
  apply(kernel, options, { configFile }) {
    const folder = configFile === undefined ? process.cwd() : dirname(configFile);
    const compiled = compileContract(options, folder, manifest.name);
    const { mode, tools } = compiled.contract.enforcement;
    const softer = tools.mode !== mode;
    kernel.enforcementMode(mode);
    kernel.digest(compiled.contract.digest);
    kernel.onSeal(({ plugins }) => checkEnforced(compiled.contract, options, plugins));
    kernel.prepare("paths", (subject) =>
      subject.hook === "beforeToolCall" ? prepareCall(subject, compiled) : undefined,
    );
    const allowVerdicts: AllowVerdicts = new Map();
    kernel.hooks.beforeToolCall.tap("tools", (call) =>
      answer(call, compiled, softer, allowVerdicts),
    );
    for (const type of EVENT_TYPES) kernel.event(type);
    kernel.projection(directiveState);
    kernel.guard("directives", directiveGuard(compiled));
    kernel.hooks.onTransition.tap("transitions", (request, view) => [
      ...judgeTransition(request, compiled),
      ...judgeDirectives(request, view, compiled),
    ]);
  },
});

// For a call that the contract only warns about, the record has the denial that would apply. Protected files stay protected.
function answer(
  call: ToolCall,
  compiled: Compiled,
  softer: boolean,
  allowVerdicts: AllowVerdicts,
): readonly Verdict[] {
  const { enabled } = compiled.contract.enforcement.tools;
  const all = judgeCall(call, compiled);
  if (all.length === 0) return enabled ? allowed(call, compiled, allowVerdicts) : all;
  const kept = all.filter(({ code }) => NEVER_SOFTENED.has(code ?? ""));
  if (!enabled) return kept;
  if (!softer) return all;
  const shadows = all
    .filter((verdict) => !kept.includes(verdict))
    .map((verdict): Verdict => ({ ...verdict, shadow: true }));
  if (kept.length > 0) return [...kept, ...shadows];
  return [
    ...shadows,
    allow(`Phase ${quote(call.phase ?? "none")} only warns about ${quote(call.tool)}`, {
      rule: allowedIn(call.phase ?? "none", compiled),
    }),
  ];
}

/** The verdicts that allow a call, by phase and tool. Their number is bounded by the contract. */
type AllowVerdicts = Map<string, readonly Verdict[]>;

// Frozen, so that the kernel checks it only once.
function allowed(
  { phase = "none", tool }: ToolCall,
  compiled: Compiled,
  allowVerdicts: AllowVerdicts,
): readonly Verdict[] {
  const key = `${phase}\n${tool}`;
  let verdicts = allowVerdicts.get(key);
  if (verdicts === undefined) {
    const verdict = allow(`Phase ${quote(phase)} allows ${quote(tool)}`, {
      rule: allowedIn(phase, compiled),
    });
    allowVerdicts.set(key, (verdicts = [freezeJson(verdict) as unknown as Verdict]));
  }
  return verdicts;
}

const allowedIn = (phase: string, { contract, at }: Compiled): RuleReference =>
  at(`${phase}.allowed_tools`, [
    "phases",
    contract.phases.findIndex(({ id }) => id === phase),
    "allowed_tools",
  ]);

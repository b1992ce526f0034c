import { isConditional } from "../../compile/written-rule.ts";
import { APPROVAL_MODES, type ApprovalMode, type Effect, type ToolCall } from "@bylaw/kernel";
import type { LintCheck, LintPool, LintRule } from "../check.ts";
import { callOf, linesOf, matches, namedTools, pathsOf, shellCall } from "../sample.ts";

/** Finds denies that another approval mode lifts. */
export const narrowModes: LintCheck = {
  code: "narrow_modes",
  severity: "warning",
  check(pool, report) {
    for (const rule of pool.rules) {
      const { effect, shadow, modes, interactive } = rule.source;
      if (
        effect !== "deny" ||
        shadow ||
        isConditional(rule.source) ||
        (modes === undefined && interactive === undefined)
      )
        continue;
      const call = exampleOf(rule, pool);
      if (call === undefined) continue;
      const others =
        modes === undefined ? [] : APPROVAL_MODES.filter((mode) => !modes.includes(mode));
      const mode = others.find(
        (one) => outcome({ ...call, approval_mode: one }, one, pool) === "allow",
      );
      const switched =
        interactive !== undefined &&
        outcome({ ...call, interactive: !interactive }, call.approval_mode ?? "ask", pool) ===
          "allow";
      if (mode === undefined && !switched) continue;
      report(
        rule,
        [mode === undefined ? "interactive" : "modes"],
        `This deny does not hold ${mode === undefined ? `if \`interactive\` is ${String(!interactive)}` : `in mode \`${mode}\``}, so the same call is allowed there`,
        `Remove \`${mode === undefined ? "interactive" : "modes"}\`, or write an ask for the others`,
      );
    }
  },
};

// Like the kernel: if no rule voted, `yolo` turns a question into an allow.
function outcome(call: ToolCall, mode: ApprovalMode, pool: LintPool): Effect {
  const effect = pool.effectOf(call);
  return effect === "ask_user" && mode === "yolo" && !pool.votes(call) ? "allow" : effect;
}

function exampleOf(rule: LintRule, { tools }: LintPool): ToolCall | undefined {
  const [line] = linesOf(rule);
  const [name = "deploy"] = rule.shape.tools ?? [];
  const [file] = namedTools(rule, tools.files.keys());
  const access = rule.shape.write === undefined ? "read" : "write";
  const [path] = pathsOf(rule, access);
  const argument = file === undefined ? undefined : tools.files.get(file)?.[access]?.[0];
  const calls = [
    ...(line === undefined ? [] : [shellCall(rule, line, tools)]),
    ...(path === undefined || file === undefined || argument === undefined
      ? []
      : [callOf(rule, file, { [argument]: path })]),
    callOf(rule, name.replaceAll(/[*?]/g, "x"), {}),
  ];
  return calls.find((call) => matches(rule, call, tools));
}

import { allow, ask, definePlugin, deny } from "@bylaw/kernel";
import { z } from "zod";

/**
 * Rules for tests of hosts. The argument `path` decides about a call: `secret` is denied, `broken` makes the rule throw, a path that
 * begins with `ask` needs a person, about `uncovered` there is no rule, and any other is allowed. `deny>PATH` is denied and `ask>PATH`
 * needs a person, with an offer to use PATH instead, or the number if it is one. The phase PLAN denies `write`. Every phase may be entered.
 * A response must say that the "tests pass".
 */
export const pathRules = definePlugin({
  name: "rules",
  version: "1.0.0",
  options: z.undefined(),
  grants: true,
  codes: { phase_tool_not_allowed: "the phase does not name the tool" },
  apply({ hooks }) {
    hooks.beforeToolCall.tap("paths", ({ tool, args, phase }) => {
      const { path } = args as { readonly path?: unknown };
      if (tool === "write" && phase === "PLAN")
        return deny("The phase PLAN allows `look`.", undefined, { code: "phase_tool_not_allowed" });
      if (path === "broken") throw new Error("The rule is broken");
      if (path === "secret") return deny("`secret` is off limits.", "Write another file");
      if (path === "uncovered") return undefined;
      if (typeof path !== "string") return allow("Free.");
      const [, effect, offered = ""] = /^(deny|ask)>(.+)$/.exec(path) ?? [];
      const details = { instead: { path: /^\d+$/.test(offered) ? Number(offered) : offered } };
      if (effect === "deny") return deny("Not this file.", undefined, details);
      if (effect === "ask") return ask("A person has to see this.", undefined, details);
      return path.startsWith("ask") ? ask("A person has to see this.") : allow("Free.");
    });
    hooks.onTransition.tap("all", () => allow("All phases may be entered."));
    hooks.onEnforcement.tap("tests", ({ text = "" }) =>
      text.includes("tests pass") ? undefined : deny("The tests were not run."),
    );
  },
})();

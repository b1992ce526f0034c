import { allow, ask, definePlugin, deny } from "@bylaw/kernel";
import { z } from "zod";

/**
 * Rules for tests of hosts. The argument `path` decides about a call: `secret` is denied, `broken` makes the rule throw, a path that
 * begins with `ask` needs a person, and any other is allowed. The phase PLAN denies `write`. Every phase may be entered.
 */
export const pathRules = definePlugin({
  name: "rules",
  version: "1.0.0",
  options: z.undefined(),
  grants: true,
  codes: { phase_tool_not_allowed: "the phase does not name the tool" },
  apply({ hooks }) {
    hooks.beforeToolCall.tap("paths", ({ tool, args, phase }) => {
      const { path } = args as { readonly path?: string };
      if (tool === "write" && phase === "PLAN")
        return deny("The phase PLAN allows `look`.", undefined, { code: "phase_tool_not_allowed" });
      if (path === "broken") throw new Error("The rule is broken");
      if (path === "secret") return deny("`secret` is off limits.", "Write another file");
      return path?.startsWith("ask") === true ? ask("A person has to see this.") : allow("Free.");
    });
    hooks.onTransition.tap("all", () => allow("All phases may be entered."));
  },
})();

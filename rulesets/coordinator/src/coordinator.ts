import { defineRuleset, type Ruleset } from "@bylaw/kernel";
import { coordinator as lifeCycle } from "@bylaw/plugin-coordinator";

/** Rejects impossible events in the life cycle of a coordinated task, and verdicts on one's own work. */
export const coordinator: Ruleset = defineRuleset({
  name: "@bylaw/ruleset-coordinator",
  plugins: [lifeCycle()],
});

import { defineRuleset, type Ruleset } from "@bylaw/kernel";
import { consensus as record } from "@bylaw/plugin-consensus";
import { reasons } from "@bylaw/plugin-reasons";

/** Agents answer with `new_answer` and vote with `vote` until they agree. Checks each response and records answers and votes. */
export const consensus: Ruleset = defineRuleset({
  name: "@bylaw/ruleset-consensus",
  plugins: [reasons({ workflow_tools: { vote: "vote", new_answer: "answer" } }), record()],
});

import { quote, quoteAll } from "@bylaw/wording";
import type { Subject } from "./analyse/subject.ts";

/** The steps that people must take before agents can work under a contract, one sentence each. */
export function leftToDo({ phases, gates }: Subject): readonly string[] {
  return [
    ...gates.flatMap(({ id, type, approvers = [] }) =>
      type === "approval"
        ? [
            `Give an operator one of the roles ${quoteAll(approvers)}, to answer the gate ${quote(id)}`,
          ]
        : [],
    ),
    ...phases.flatMap(({ id, auto_spawn: spawns = [] }) =>
      spawns.map(
        ({ agent_type, models }) =>
          `Start the ${agent_type} agents ${quoteAll(models)} when a task enters ${quote(id)}: the server lists them as open directives`,
      ),
    ),
    ...phases.flatMap(({ id, allowed_tools: tools }) =>
      tools.includes("web_fetch")
        ? [
            `Set \`tools.web_hosts\` of the server: without it there is no \`web_fetch\` in ${quote(id)}`,
          ]
        : [],
    ),
  ];
}

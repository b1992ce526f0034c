import { createKernel, type Decision, type ToolCall } from "@bylaw/kernel";
import { policy } from "@bylaw/plugin-policy";
import { policyOf } from "../rules.ts";
import type { Peer, Question } from "./workload.ts";

/** The whole kernel with the policy plugin: call admission, index, shell analysis, reasons, frozen decision. */
export const bylaw: Peer = {
  name: "Bylaw",
  note: "`kernel.decide`, admission of the call and, for shell calls, the whole analysis of the line included",
  build: (_, size) => {
    const kernel = createKernel({ plugins: [policy({ files: [], text: policyOf(size) })] });
    return Promise.resolve({ ask: ({ call }) => (kernel.decidePrepared(call) as Decision).effect });
  },
};

/** The same with lines that are all different, so that no cache of lines helps. The time includes making each line. */
export const bylawAnew: Peer = {
  name: "Bylaw, lines new",
  note: "every shell line ends in another number, so that nothing of it is known",
  build: async (rules, size) => {
    const engine = await bylaw.build(rules, size);
    let count = 0;
    const anew = (question: Question): Question => {
      if (question.command === undefined) return question;
      const call: ToolCall = {
        ...question.call,
        args: { command: `${question.command} ${count++}` },
      };
      return { ...question, call };
    };
    return { ask: (question) => engine.ask(anew(question)) };
  },
};

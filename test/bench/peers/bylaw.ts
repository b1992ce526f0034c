import { createKernel, type Decision } from "@bylaw/kernel";
import { policy } from "@bylaw/plugin-policy";
import { policyOf } from "../rules.ts";
import type { Peer } from "./workload.ts";

/** The whole kernel with the policy plugin: admission of the call, index, shell analysis, reasons, frozen decision. */
export const bylaw: Peer = {
  name: "Bylaw",
  note: "`kernel.decide`, admission of the call and, for shell calls, the whole analysis of the line included",
  build: (_, size) => {
    const kernel = createKernel({ plugins: [policy({ files: [], text: policyOf(size) })] });
    return Promise.resolve({ ask: ({ call }) => (kernel.decide(call) as Decision).effect });
  },
};

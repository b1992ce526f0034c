import type { Json } from "@bylaw/kernel";
import { z } from "zod";
import { defineTool } from "../../define-tool.ts";
import type { CallContext, Tool } from "../../tool.ts";

/** Runs the tests of the contract. No argument selects them. */
export const runTests = (observe: (context: CallContext) => Promise<Json>): Tool<CallContext> =>
  defineTool({
    name: "run_tests",
    description:
      "Runs the tests of the workspace as the contract says, and records the result as evidence.",
    input: z.object({}),
    annotations: { destructiveHint: false, openWorldHint: false },
    run: (_, context: CallContext) => observe(context),
  });

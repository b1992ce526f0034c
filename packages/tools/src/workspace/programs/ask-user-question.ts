import type { Json } from "@bylaw/kernel";
import { isBlank } from "@bylaw/wording";
import { z } from "zod";
import { defineTool } from "../../define-tool.ts";
import type { CallContext, Tool } from "../../tool.ts";
import type { Question } from "../options.ts";

const seen = z
  .string()
  .trim()
  .min(1)
  .refine((text) => !isBlank(text), "must not be blank");

export const askUserQuestion = (
  ask: (question: Question, context: CallContext) => Promise<Json>,
): Tool<CallContext> =>
  defineTool({
    name: "ask_user_question",
    description: "Asks a person a question. The answer may take a while.",
    input: z.object({
      question: seen.max(4_000),
      options: z.array(seen.max(500)).max(20).default([]).describe("Answers to choose from"),
    }),
    annotations: { readOnlyHint: true, openWorldHint: false },
    run: (question, context: CallContext) => ask(question, context),
  });

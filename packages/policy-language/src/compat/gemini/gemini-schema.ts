import { z } from "zod";
import { flag, oneOf, text, texts } from "../../load/schema-fields.ts";

const priority = "a number from 0 to 999";

const GEMINI_MODES = ["default", "autoEdit", "yolo", "plan"] as const;

/** One `[[rule]]` of a file with `compat = "gemini"`. */
export const geminiRuleSchema = z.strictObject(
  {
    name: text("a name").optional(),
    toolName: texts("a tool name (`*` for every tool)"),
    mcpName: text("a server name").optional(),
    subagent: text("a name of an agent").optional(),
    commandPrefix: texts("the first words of a command").optional(),
    commandRegex: text("a regular expression").optional(),
    argsPattern: text("a regular expression").optional(),
    toolAnnotations: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean()]), {
        error: "a table of annotations",
      })
      .optional(),
    decision: oneOf(["allow", "deny", "ask_user"]),
    priority: z
      .number({ error: priority })
      .min(0, { error: priority })
      .max(999, { error: priority }),
    modes: z
      .array(oneOf(GEMINI_MODES), { error: `a list of ${GEMINI_MODES.join(", ")}` })
      .optional(),
    interactive: flag.optional(),
    allowRedirection: flag.optional(),
    allow_redirection: flag.optional(),
    denyMessage: text("text").optional(),
    deny_message: text("text").optional(),
  },
  { error: "a table" },
);

export type RawGeminiRule = z.output<typeof geminiRuleSchema>;

export const geminiFileSchema = z.strictObject({
  compat: z.literal("gemini"),
  default: oneOf(["allow", "deny", "ask_user"]).optional(),
  rule: z.array(z.unknown(), { error: "an array of tables, `[[rule]]`" }).optional(),
});

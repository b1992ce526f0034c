import { BylawError, checkArgument, type JsonObject } from "@bylaw/kernel";
import { z } from "zod";
import type { Tool, ToolAnnotations, ToolAnswer } from "./tool.ts";

/** The definition of a tool. */
export interface ToolDefinition<Input extends z.ZodObject, Context> {
  readonly name: string;
  readonly description: string;
  /** The schema of its arguments. Members that it does not name are always refused. */
  readonly input: Input;
  readonly annotations?: ToolAnnotations;
  readonly run: (args: z.output<Input>, context: Context) => ToolAnswer | Promise<ToolAnswer>;
}

const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/**
 * Defines a tool for all carriers. Throws BYLAW_TOOL_INVALID for a name that a client would refuse, an empty description, or arguments that
 * JSON Schema cannot describe.
 */
export function defineTool<Input extends z.ZodObject, Context = unknown>(
  definition: ToolDefinition<Input, Context>,
): Tool<Context> {
  const {
    name,
    description,
    annotations = {},
    run,
  } = checkArgument("defineTool", "a tool", definition);
  if (!NAME.test(name))
    throw invalid(
      name,
      "needs a name of a letter, then letters, digits, `_` and `-`, at most 64 in all",
    );
  if (description.trim() === "") throw invalid(name, "needs a description");
  const schema = definition.input.strict();
  return Object.freeze({
    name,
    description,
    input: schemaOf(name, schema),
    annotations: Object.freeze({ ...annotations }),
    schema,
    run,
  });
}

function schemaOf(name: string, schema: z.ZodObject): JsonObject {
  try {
    return z.toJSONSchema(schema, { io: "input" }) as unknown as JsonObject;
  } catch (cause) {
    throw invalid(name, "has arguments that JSON Schema cannot describe", cause);
  }
}

const invalid = (name: string, what: string, cause?: unknown): BylawError =>
  new BylawError({ code: "BYLAW_TOOL_INVALID", message: `The tool \`${name}\` ${what}`, cause });

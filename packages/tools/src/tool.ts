import type { Json, JsonObject } from "@bylaw/kernel";
import type { z } from "zod";

/** The tool's own claims, in the terms of the Model Context Protocol. Rules may become stricter because of them, never looser. */
export interface ToolAnnotations extends JsonObject {
  readonly [hint: string]: string | boolean;
}

/**
 * A tool that any carrier can offer: HTTP, the command line, the Model Context Protocol, or a function call. Only `callTool` may call it,
 * because it checks the arguments first. `Context` is what the tool needs from its carrier; a carrier may provide more.
 */
export interface Tool<in Context = unknown> {
  /** Unique in a list of tools. A letter, then letters, digits, `_` and `-`, at most 64 in all. */
  readonly name: string;
  /** The description for the model. */
  readonly description: string;
  /** JSON Schema (draft 2020-12) of its arguments: an object without other members. */
  readonly input: JsonObject;
  readonly annotations: ToolAnnotations;
  /** The schema that is enforced. `input` is its JSON Schema. */
  readonly schema: z.ZodObject;
  /** Runs the tool with arguments that `schema` has checked. */
  readonly run: (args: never, context: Context) => ToolAnswer | Promise<ToolAnswer>;
}

/** The answer of a tool: plain data, or undefined, which becomes null. */
export type ToolAnswer = Json | object | undefined | void;

/** The context of tools for a run. `Run` is the run of the log package, or the part of it that they need. */
export interface RunContext<Run> extends CallContext {
  readonly run: Run;
}

/** The context of tools for a workspace. Every carrier can provide it. */
export interface CallContext {
  /** The agent that calls. The carrier verified it; arguments never name it. */
  readonly agent: string;
  readonly task?: string;
  readonly session?: string;
  /** Absolute path of the folder for the work on the task. */
  readonly workspace?: string;
  /** Aborts the call. */
  readonly signal?: AbortSignal;
}

import type { Json, JsonObject } from "@bylaw/kernel";
import type { z } from "zod";

/** What a tool says of itself to clients, in the words of the Model Context Protocol. Rules may tighten by it, never loosen. */
export interface ToolAnnotations extends JsonObject {
  readonly [hint: string]: string | boolean;
}

/**
 * A tool that any carrier can offer: HTTP, the command line, the Model Context Protocol, or a function call. It is called by
 * `callTool` alone, which reads its arguments first. `Context` is what it needs of its carrier; a tool that needs less fits
 * where more is given.
 */
export interface Tool<in Context = unknown> {
  /** Unique in a list of tools: a letter, then letters, digits, `_` and `-`, at most 64. */
  readonly name: string;
  /** For the model that calls it. */
  readonly description: string;
  /** JSON Schema (draft 2020-12) of its arguments: an object that lets no other member in. */
  readonly input: JsonObject;
  readonly annotations: ToolAnnotations;
  /** `input`, as it is enforced. */
  readonly schema: z.ZodObject;
  /** What it does with arguments that `schema` has read. */
  readonly run: (args: never, context: Context) => ToolAnswer | Promise<ToolAnswer>;
}

/** What a tool answers: plain data, or nothing, which is `null`. */
export type ToolAnswer = Json | object | undefined | void;

/** What tools of a run are given. `Run` is that of the log package, or as much of it as they need. */
export interface RunContext<Run> extends CallContext {
  readonly run: Run;
}

/** What tools of a workspace are given, and what any carrier can say. */
export interface CallContext {
  /** Who calls. The carrier verified it; arguments never say it. */
  readonly agent: string;
  readonly task?: string;
  readonly session?: string;
  /** Absolute path of the folder that the task works in. */
  readonly workspace?: string;
  /** Ends the call. */
  readonly signal?: AbortSignal;
}

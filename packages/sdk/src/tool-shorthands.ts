import type { AskOptions } from "./session.ts";
import type { RequestBody } from "./transport.ts";
import type { BatchCheckAnswer, Json, JsonObject, ToolAnswer, ToolQuestion } from "./types.ts";

/** How a call is checked. With `record: false` the question is not recorded. */
export type CheckOptions = AskOptions & { readonly record?: boolean };

/** The most common tools, as methods that return only the result. */
export abstract class ToolShorthands {
  abstract useTool(tool_name: string, args: JsonObject, options: AskOptions): Promise<ToolAnswer>;
  abstract checkTools(
    calls: readonly ToolQuestion[],
    options?: CheckOptions,
  ): Promise<readonly BatchCheckAnswer[]>;

  /** The short name of `checkTools`. */
  batch(
    calls: readonly ToolQuestion[],
    options: CheckOptions = {},
  ): Promise<readonly BatchCheckAnswer[]> {
    return this.checkTools(calls, options);
  }

  /** Reads a file of the workspace. */
  readFile(
    path: string,
    options: AskOptions & { readonly offset?: number; readonly limit?: number } = {},
  ): Promise<Json> {
    const { offset, limit, ...asked } = options;
    return this.#result("read_files", { path, offset, limit }, asked);
  }

  /** Writes a file of the workspace. */
  writeFile(
    path: string,
    content: string,
    options: AskOptions & { readonly mode?: "w" | "a" } = {},
  ): Promise<Json> {
    const { mode, ...asked } = options;
    return this.#result("write_files", { path, content, mode }, asked);
  }

  /** Runs a command in the workspace. */
  runCommand(
    command: string,
    options: AskOptions & { readonly timeout?: number; readonly cwd?: string } = {},
  ): Promise<Json> {
    const { timeout, cwd, ...asked } = options;
    return this.#result("bash", { command, timeout, cwd }, asked);
  }

  /** Searches for a pattern in the files of the workspace. */
  grep(pattern: string, path = ".", options: AskOptions = {}): Promise<Json> {
    return this.#result("grep", { pattern, path }, options);
  }

  async #result(tool_name: string, args: RequestBody, asked: AskOptions): Promise<Json> {
    return (await this.useTool(tool_name, args as JsonObject, asked)).result;
  }
}

import { isJsonObject, messageOf, omitUndefined, type Json, type JsonObject } from "@bylaw/kernel";
import { callTool, toolNamed, type Tool } from "@bylaw/tools";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type CallToolResult,
  type ListToolsResult,
} from "@modelcontextprotocol/sdk/types.js";

/** Tools, and the context in which they run. */
export interface ToolOffer<Context> {
  readonly tools: readonly Tool<Context>[];
  /** The caller and its place. The carrier sets them; arguments cannot. `signal` aborts the call. */
  readonly context: (signal: AbortSignal) => Context;
}

/** Lists and calls the tools of a server. */
export interface ToolSource {
  readonly list: () => ListToolsResult | Promise<ListToolsResult>;
  readonly call: (name: string, args: JsonObject, signal: AbortSignal) => Promise<CallToolResult>;
}

/** Creates an MCP server for a source of tools. It offers tools and no other part of MCP. */
export function createServer({ list, call }: ToolSource): Server {
  const server = new Server({ name: "bylaw", version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => list());
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal }) =>
    call(params.name, (params.arguments ?? {}) as JsonObject, signal),
  );
  return server;
}

/** Creates a source from an offer. An error of a tool becomes an answer with its code, message and fix, for the model to read. */
export function sourceOf<Context>({ tools, context }: ToolOffer<Context>): ToolSource {
  const listed = tools.map(({ name, description, input, annotations }) => ({
    name,
    description,
    inputSchema: input as ListToolsResult["tools"][number]["inputSchema"],
    annotations,
  }));
  return {
    list: () => ({ tools: listed }),
    async call(name, args, signal) {
      const tool = toolNamed(tools, name);
      if (tool === undefined)
        throw new McpError(
          ErrorCode.InvalidParams,
          `Unknown tool \`${name.slice(0, 80)}\`. The tools are ${tools.map((one) => one.name).join(", ")}.`,
        );
      try {
        return answered(await callTool(tool, args, context(signal)));
      } catch (error) {
        signal.throwIfAborted();
        return { ...answered(errorBody(error)), isError: true };
      }
    },
  };
}

const answered = (answer: Json): CallToolResult => ({
  content: [{ type: "text", text: JSON.stringify(answer) }],
  ...(isJsonObject(answer) ? { structuredContent: { ...answer } } : {}),
});

function errorBody(error: unknown): JsonObject {
  const { code, fix } = (typeof error === "object" && error !== null ? error : {}) as {
    readonly code?: unknown;
    readonly fix?: unknown;
  };
  const known = typeof code === "string" && code.startsWith("BYLAW_");
  // The message of an unknown error may contain a path or a password.
  if (!known) return { code: "BYLAW_TOOL_FAILED", message: "The tool failed" };
  return omitUndefined({
    code,
    message: messageOf(error),
    fix: typeof fix === "string" ? fix : undefined,
  }) as JsonObject;
}

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

/** Tools, and what they are given when a client calls them. */
export interface ToolOffer<Context> {
  readonly tools: readonly Tool<Context>[];
  /** Who calls and where: fixed by the carrier, never by an argument. `signal` ends the call. */
  readonly context: (signal: AbortSignal) => Context;
}

/** Where a server's answers come from. */
export interface ToolSource {
  readonly list: () => ListToolsResult | Promise<ListToolsResult>;
  readonly call: (name: string, args: JsonObject, signal: AbortSignal) => Promise<CallToolResult>;
}

/** An MCP server over a source of tools; it offers tools and no other part of MCP. */
export function createServer({ list, call }: ToolSource): Server {
  const server = new Server({ name: "bylaw", version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => list());
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal }) =>
    call(params.name, (params.arguments ?? {}) as JsonObject, signal),
  );
  return server;
}

/** Makes a source of an offer. An error of a tool becomes an answer with its code, message and fix, for the model to read. */
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
        return { ...answered(told(error)), isError: true };
      }
    },
  };
}

const answered = (answer: Json): CallToolResult => ({
  content: [{ type: "text", text: JSON.stringify(answer) }],
  ...(isJsonObject(answer) ? { structuredContent: { ...answer } } : {}),
});

function told(error: unknown): JsonObject {
  const { code, fix } = (typeof error === "object" && error !== null ? error : {}) as {
    readonly code?: unknown;
    readonly fix?: unknown;
  };
  const known = typeof code === "string" && code.startsWith("BYLAW_");
  // An unknown error may hold a path or a password.
  if (!known) return { code: "BYLAW_TOOL_FAILED", message: "The tool failed" };
  return omitUndefined({
    code,
    message: messageOf(error),
    fix: typeof fix === "string" ? fix : undefined,
  }) as JsonObject;
}

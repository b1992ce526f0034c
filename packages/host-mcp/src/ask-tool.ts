import type { JsonObject } from "@bylaw/kernel";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

/** An MCP server to start for one call, and the tool to call. */
export interface ToolQuestion {
  /** The program and its arguments. No shell runs them. */
  readonly command: readonly string[];
  readonly tool: string;
  readonly args: JsonObject;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** In milliseconds. */
  readonly timeout_ms: number;
  readonly signal?: AbortSignal;
}

/** The answer of a tool: its structured data, if any, and its text. */
export interface ToolReply {
  readonly data: unknown;
  readonly text: string;
}

/** Starts a server, calls one tool and stops the server. Throws if it does not start, lacks the tool, times out or reports a failure. */
export async function askTool({
  command: [file = "", ...args],
  tool,
  args: given,
  cwd,
  env,
  timeout_ms,
  signal,
}: ToolQuestion): Promise<ToolReply> {
  const client = new Client({ name: "bylaw", version: "1" });
  const options = { timeout: timeout_ms, ...(signal === undefined ? {} : { signal }) };
  try {
    await client.connect(
      new StdioClientTransport({
        command: file,
        args: [...args],
        cwd,
        env: { ...env },
        stderr: "ignore",
      }),
      options,
    );
    const { content, structuredContent, isError } = await client.callTool(
      { name: tool, arguments: { ...given } },
      undefined,
      options,
    );
    const text = (Array.isArray(content) ? content : [])
      .map((part: { readonly type: string; readonly text?: string }) =>
        part.type === "text" ? (part.text ?? "") : "",
      )
      .join("\n");
    if (isError === true) throw new Error(`The tool failed: ${text.slice(0, 300)}`);
    return { data: structuredContent, text };
  } finally {
    await client.close();
  }
}

import type { JsonObject } from "@bylaw/kernel";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

/** A server of the protocol that is started for one question, and the tool that is asked. */
export interface ToolQuestion {
  /** A program and its arguments; no shell reads them. */
  readonly command: readonly string[];
  readonly tool: string;
  readonly args: JsonObject;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** In milliseconds. */
  readonly timeout_ms: number;
  readonly signal?: AbortSignal;
}

/** What a tool answered: its data where it has some, and its words. */
export interface ToolReply {
  readonly data: unknown;
  readonly text: string;
}

/** Starts a server, calls one of its tools and ends it. Throws where it does not start, has no such tool, is late, or says that it failed. */
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
    await client.connect(new StdioClientTransport({ command: file, args: [...args], cwd, env: { ...env }, stderr: "ignore" }), options);
    const { content, structuredContent, isError } = await client.callTool({ name: tool, arguments: { ...given } }, undefined, options);
    const text = (Array.isArray(content) ? content : [])
      .map((part: { readonly type: string; readonly text?: string }) => (part.type === "text" ? (part.text ?? "") : ""))
      .join("\n");
    if (isError === true) throw new Error(`Unexpected failure of the tool, expected an answer: ${text.slice(0, 300)}`);
    return { data: structuredContent, text };
  } finally {
    await client.close();
  }
}

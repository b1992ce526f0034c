import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { onTestFinished } from "vitest";
import { BIN } from "./bylaw.ts";

/** A client of `bylaw mcp`, which is started in a folder with these arguments. */
export async function connectMcp(args: readonly string[], cwd: string): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  const command = process.execPath;
  await client.connect(new StdioClientTransport({ command, args: [BIN, "mcp", ...args], cwd }));
  onTestFinished(() => client.close());
  return client;
}

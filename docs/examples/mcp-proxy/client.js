// An MCP client that starts the filesystem server through Bylaw. For your own client, put the same command into its settings.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const client = new Client({ name: "example", version: "1.0.0" });
const server = ["npx", "mcp-server-filesystem", "."];
await client.connect(
  new StdioClientTransport({
    command: "npx",
    args: ["bylaw", "mcp", "--name", "files", "--", ...server],
    stderr: "ignore",
  }),
);

const { tools } = await client.listTools();
console.log(`tools: ${tools.map(({ name }) => name).join(", ")}`);
for (const path of ["data/notes.txt", "data/service.key"]) {
  const { content } = await client.callTool({ name: "read_text_file", arguments: { path } });
  console.log(`${path}: ${content[0].text.trim()}`);
}
await client.close();

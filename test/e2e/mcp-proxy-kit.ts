// Puts `bylaw mcp` between a real MCP client and a real server.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { onTestFinished } from "vitest";
import { BIN, scratch } from "./bylaw.ts";

/** The program of the filesystem server. */
export const FILES = fileURLToPath(
  import.meta.resolve("@modelcontextprotocol/server-filesystem/dist/index.js"),
);
const POLICY = `default = "deny"
[[rules]]
name = "reading"
action = "allow"
server = "files"
tool = "read_*|list_directory"
[[rules]]
name = "writing"
action = "ask_user"
server = "files"
tool = "write_file"
args = { content = { type = "string" } }
[[rules]]
name = "never-moves"
action = "deny"
tool = "move_file"
[[rules]]
name = "moving"
action = "allow"
server = "files"
tool = "move_file"
[[rules]]
name = "resources"
action = "allow"
server = "files"
tool = "resources/read|prompts/get"
[[rules]]
name = "secrets"
action = "deny"
final = true
paths = ["**/.env", "/etc/**"]
`;

interface Setup {
  readonly server?: readonly string[];
  /** The answer of the person at the client. Left out: the client cannot ask. */
  readonly says?: object;
  readonly options?: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** A client of `bylaw mcp` in front of a server, by default the filesystem server on the folder `data`. */
export async function connect({ server, says, options = [], files = {}, env = {} }: Setup = {}) {
  const cwd = scratch({
    "policy.toml": POLICY,
    "bylaw.config.json": JSON.stringify({
      plugins: [
        { use: "@bylaw/plugin-policy", options: { files: ["policy.toml"], operator: true } },
      ],
    }),
    "data/a.txt": "hello",
    "data/.env": "KEY=1",
    ...files,
  });
  const home = join(cwd, "home");
  mkdirSync(home);
  const capabilities = says === undefined ? {} : { elicitation: {} };
  const client = new Client({ name: "test", version: "1" }, { capabilities });
  const asked: string[] = [];
  if (says !== undefined)
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      asked.push(params.message);
      return says as { action: "accept" };
    });
  const command = server ?? [process.execPath, FILES, join(cwd, "data")];
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [
      BIN,
      "mcp",
      "--name",
      "files",
      ...options,
      ...(command.length > 0 ? ["--"] : []),
      ...command,
    ],
    env: { PATH: process.env["PATH"] ?? "", HOME: home, ...env },
    cwd,
    stderr: "pipe",
  });
  let stderr = "";
  transport.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  await client.connect(transport);
  onTestFinished(() => client.close());
  const call = async (name: string, args: Record<string, unknown>): Promise<string> => {
    const { isError, content } = await client.callTool({ name, arguments: args });
    const [first] = content as readonly { readonly text?: string }[];
    return `${isError === true ? "refused: " : ""}${first?.text ?? ""}`;
  };
  return { client, cwd, home, asked, call, data: join(cwd, "data"), stderr: () => stderr };
}

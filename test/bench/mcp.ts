// Compares `bylaw mcp` in front of the filesystem server with that server alone: time of a call, and calls a second. Both in turn, in
// one run.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { BIN, benchFolder, median } from "./bench-kit.ts";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "5" }, calls: { type: "string", default: "600" } },
});
const ROUNDS = Number(values.rounds);
const CALLS = Number(values.calls);
const AT_ONCE = 16;

const FILES = fileURLToPath(
  import.meta.resolve("@modelcontextprotocol/server-filesystem/dist/index.js"),
);
const folder = benchFolder();
mkdirSync(join(folder, "home"));
const path = join(folder, "a.txt");
writeFileSync(path, "hi");
writeFileSync(
  join(folder, "policy.toml"),
  '[[rules]]\nname = "reading"\npriority = "admin"\naction = "allow"\nserver = "files"\ntool = "read_text_file"\n',
);
writeFileSync(
  join(folder, "bylaw.config.json"),
  JSON.stringify({
    extends: ["@bylaw/ruleset-recommended"],
    plugins: [{ use: "@bylaw/plugin-policy", options: { files: ["policy.toml"], operator: true } }],
  }),
);

async function connect(args: readonly string[]): Promise<Client> {
  const client = new Client({ name: "bench", version: "1" });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [...args],
      cwd: folder,
      env: { PATH: process.env["PATH"] ?? "", HOME: join(folder, "home") },
      stderr: "ignore",
    }),
  );
  return client;
}

const call = async (client: Client): Promise<void> => {
  const { isError, content } = await client.callTool({
    name: "read_text_file",
    arguments: { path },
  });
  if (isError === true) throw new Error(JSON.stringify(content));
};

async function timeOf(client: Client): Promise<number> {
  const times: number[] = [];
  for (let at = 0; at < CALLS; at += 1) {
    const before = performance.now();
    await call(client);
    times.push(performance.now() - before);
  }
  return median(times);
}

async function rateOf(client: Client): Promise<number> {
  let left = CALLS * 4;
  const all = left;
  const before = performance.now();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (left-- > 0) await call(client);
    }),
  );
  return (all / (performance.now() - before)) * 1_000;
}

const server = [FILES, folder];
const direct = await connect(server);
const proxied = await connect([BIN, "mcp", "--name", "files", "--", process.execPath, ...server]);
interface Round {
  readonly times: readonly [number, number];
  readonly rates: readonly [number, number];
}
const rounds: Round[] = [];
for (let round = 0; round <= ROUNDS; round += 1) {
  const measured: Round = {
    times: [await timeOf(direct), await timeOf(proxied)],
    rates: [await rateOf(direct), await rateOf(proxied)],
  };
  // The first round is for warming up.
  if (round > 0) rounds.push(measured);
}
await Promise.all([direct.close(), proxied.close()]);

const middle = (of: (round: Round) => number, digits: number): string =>
  median(rounds.map(of)).toFixed(digits);
console.log(`| one \`read_text_file\` | p50 ms | calls/s, ${AT_ONCE} at once |`);
console.log("| --- | ---: | ---: |");
console.log(
  `| the server alone | ${middle(({ times: [own] }) => own, 2)} | ${middle(({ rates: [own] }) => own, 0)} |`,
);
console.log(
  `| behind \`bylaw mcp\` | ${middle(({ times: [, own] }) => own, 2)} | ${middle(({ rates: [, own] }) => own, 0)} |`,
);
console.log(
  `| added, kept | ${middle(({ times: [bare, own] }) => own - bare, 2)} | ${middle(({ rates: [bare, own] }) => (own / bare) * 100, 0)} % |`,
);

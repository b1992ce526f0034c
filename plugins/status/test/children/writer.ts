// Writes a run and its status: violations by one agent, each printed once it is recorded.
import { writeSync } from "node:fs";
import { join } from "node:path";
import { createKernel, defineCheck, deny } from "@bylaw/kernel";
import { openRun } from "@bylaw/log";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { status } from "../../src/index.ts";

const [folder = "", agent = "", responses = "0", every_ms = "0"] = process.argv.slice(2);
const refuse = defineCheck({
  name: "refuse",
  hook: "onEnforcement",
  check: () => deny("Unexpected words, expected deeds"),
});
const kernel = createKernel(
  { plugins: [status({ every_ms: Number(every_ms) }), refuse] },
  { configFile: join(folder, "bylaw.config.ts") },
);
const store = await openSqliteStore(join(folder, "store.db"));
const run = await openRun(kernel, {
  run: "main",
  store,
  join: true,
  onError: (error) => writeSync(1, `error ${String(error)}\n`),
});
writeSync(1, "open\n");
for (let round = 1; round <= Number(responses); round += 1) {
  await run.respond({ agent, round, text: `${agent} ${round} `.repeat(50), tool_calls: [] });
  writeSync(1, `recorded ${round}\n`);
}
await run.close();
await store.close();

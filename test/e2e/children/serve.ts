import { createOrchestrator } from "@bylaw/orchestrator";
import { workspaceTools } from "@bylaw/tools";

const settings = JSON.parse(process.argv[2] ?? "{}") as object;
const log = (level: string) => (fields: object, text?: string) => console.error(level, text, JSON.stringify(fields));
const server = await createOrchestrator({
  settings,
  tools: workspaceTools({}),
  secrets: { enrol: process.env["BYLAW_ENROL_SECRET"], operator: process.env["BYLAW_OPERATOR_TOKEN"] },
  log: { debug() {}, info() {}, warn: log("W"), error: log("E") },
});
const { url } = await server.listen();
console.log(JSON.stringify({ url }));
process.once("SIGTERM", () => void server.close());

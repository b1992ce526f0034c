// `node agent.js` asks a person; `node agent.js yes` and `node agent.js no` go on with the answer, in another process.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createNodeKernel } from "@bylaw/config";
import { guardTools } from "@bylaw/host-ai-sdk";
import { openRun } from "@bylaw/log";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { generateText, isStepCount, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { z } from "zod";
import config from "./bylaw.config.js";

const kernel = createNodeKernel(config);
const store = await openSqliteStore("store.db");
const run = await openRun(kernel, { run: "release", store, join: true });

const deploy = tool({
  description: "Deploys the service.",
  inputSchema: z.object({ to: z.string() }),
  execute({ to }) {
    console.log(`Deployed to ${to}`);
    return "done";
  },
});
const { respond: _, ...guarded } = guardTools({ deploy }, { kernel, run, agent: "release-bot" });

const [answer] = process.argv.slice(2);
const asked = existsSync("messages.json") ? JSON.parse(readFileSync("messages.json", "utf8")) : [];
const messages =
  answer === undefined ? [{ role: "user", content: "Deploy" }] : [...asked, answerTo(asked.at(-1))];
const { content, response } = await generateText({
  model: modelFor(answer),
  messages,
  stopWhen: isStepCount(5),
  ...guarded,
});
for (const { type, toolCall } of content)
  if (type === "tool-approval-request")
    console.log(`Asks before it deploys to ${toolCall.input.to}`);
if (answer === undefined)
  writeFileSync("messages.json", JSON.stringify([...messages, ...response.messages]));
await run.close();

function answerTo({ content: parts }) {
  const { approvalId } = parts.find(({ type }) => type === "tool-approval-request");
  const approved = answer === "yes";
  return { role: "tool", content: [{ type: "tool-approval-response", approvalId, approved }] };
}

/** Your model. This one deploys to both places, one after the other. */
function modelFor(answered) {
  const usage = { inputTokens: {}, outputTokens: {} };
  const call = (to) => ({
    type: "tool-call",
    toolCallId: `deploy-${to}`,
    toolName: "deploy",
    input: JSON.stringify({ to }),
  });
  const step = (parts, unified) => ({
    content: parts,
    finishReason: { unified },
    usage,
    warnings: [],
  });
  const calls = ["staging", "production"].map((to) => step([call(to)], "tool-calls"));
  const end = step([{ type: "text", text: "Done." }], "stop");
  return new MockLanguageModelV4({ doGenerate: answered === undefined ? calls : [end] });
}

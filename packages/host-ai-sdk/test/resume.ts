// A separate process that resumes an agent from serialised messages, as a server does for the next request of a browser.
import { text } from "node:stream/consumers";
import { generateText, isStepCount, type ModelMessage } from "ai";
import { guardTools } from "../src/index.ts";
import { modelCalling, openKit, toldBy, toolsNoting } from "./kit.ts";

const { file, messages } = JSON.parse(await text(process.stdin)) as {
  readonly file: string;
  readonly messages: ModelMessage[];
};
const ran: string[] = [];
const model = modelCalling([]);
const { respond: _, ...guarded } = guardTools(toolsNoting(ran), {
  ...(await openKit(file)),
  agent: "bot",
  cwd: "/w",
  home: "/h",
  approver: "ada",
});
await generateText({ model, messages, stopWhen: isStepCount(3), ...guarded });
console.log(JSON.stringify({ ran, told: toldBy(model) }));

// A separate process that resumes an agent from its checkpoints.
import { text } from "node:stream/consumers";
import { Command } from "@langchain/langgraph";
import { FileSaver, openAgent } from "./kit.ts";

const { file, checkpoints, resume } = JSON.parse(await text(process.stdin)) as {
  readonly file: string;
  readonly checkpoints: string;
  readonly resume: unknown;
};
const checkpointer = new FileSaver(checkpoints, { resume: true });
const { agent, ran } = await openAgent({ file, checkpointer });
const thread = { configurable: { thread_id: "t" } };
const { messages } = await agent.invoke(new Command({ resume }), thread);
const told = messages.filter(({ type }) => type === "tool").map(({ text: said }) => said);
console.log(JSON.stringify({ ran, told }));

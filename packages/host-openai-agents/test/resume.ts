// A separate process that resumes an agent from a serialised state, after a person's approval.
import { text } from "node:stream/consumers";
import { RunState, run } from "@openai/agents";
import { FakeModel, agentNoting, openKit } from "./kit.ts";

const { file, saved, yes } = JSON.parse(await text(process.stdin)) as {
  readonly file: string;
  readonly saved: string;
  readonly yes: boolean;
};
const ran: string[] = [];
const model = new FakeModel();
const callerOf = () => ({ approver: "ada" });
const { agent } = agentNoting(ran, model, { ...(await openKit(file)), callerOf });
const state = await RunState.fromString(agent, saved);
for (const interruption of state.getInterruptions())
  if (yes) state.approve(interruption);
  else state.reject(interruption);
await run(agent, state);
console.log(JSON.stringify({ ran, told: model.told }));

// A separate process that resumes a suspended agent from stored snapshots, as a server does when a person answers.
import { text } from "node:stream/consumers";
import { modelCalling, openAgent, toldBy } from "./kit.ts";

const { file, runId, runs, suspended, approved } = JSON.parse(await text(process.stdin)) as {
  readonly file: string;
  readonly runId: string;
  readonly runs: readonly { readonly workflowName: string; readonly snapshot: never }[];
  readonly suspended: unknown;
  readonly approved: boolean;
};
const model = modelCalling([]);
const { agent, ran, storage, answer } = await openAgent(model, { file });
const workflows = await storage.getStore("workflows");
for (const { workflowName, snapshot } of runs)
  await workflows?.persistWorkflowSnapshot({ workflowName, runId, snapshot });
const resume = await answer(suspended, { approved, by: "ada" });
const { text: said } = await agent.resumeGenerate(resume, { runId });
console.log(JSON.stringify({ ran, said, told: toldBy(model) }));

import { defineExamples } from "@bylaw/testing";
import { reasons } from "./src/index.ts";

const options = { workflow_tools: { vote: "vote", new_answer: "answer" } } as const;
const available_tools = ["read_file", "run_command", "vote", "new_answer"];
const asked = { hook: "onEnforcement", agent: "b", available_tools } as const;
const answers = [{ agent: "a", content: "red green blue" }];
const vote = (agent_id: string) => ({ tool: "vote", args: { agent_id, reason: "it is right" } });
const answer = (content: string) => ({ tool: "new_answer", args: { content } });

export const examples = defineExamples(reasons, [
  {
    name: "accepts an answer",
    options,
    subject: { ...asked, tool_calls: [answer("yellow")] },
    expect: "abstain",
  },
  {
    name: "accepts a vote for an agent that has answered",
    options,
    subject: { ...asked, tool_calls: [vote("agent1")], host: { consensus: { answers } } },
    expect: "abstain",
  },
  {
    name: "denies a call of a tool that does not exist",
    options,
    subject: { ...asked, tool_calls: [{ tool: "execute_command" }] },
    expect: "deny",
    code: "unknown_tool",
  },
  {
    name: "denies calls that end no turn",
    options,
    subject: { ...asked, tool_calls: [{ tool: "read_file" }] },
    expect: "deny",
    code: "no_workflow_tool",
  },
  {
    name: "denies a response without a call",
    options,
    subject: { ...asked, text: "I am done." },
    expect: "deny",
    code: "no_tool_calls",
  },
  {
    name: "denies a vote and an answer in one response",
    options,
    subject: {
      ...asked,
      tool_calls: [vote("agent1"), answer("yellow")],
      host: { consensus: { answers } },
    },
    expect: "deny",
    code: "vote_and_answer",
  },
  {
    name: "denies a vote while nobody has answered",
    options,
    subject: { ...asked, tool_calls: [vote("agent1")] },
    expect: "deny",
    code: "vote_no_answers",
  },
  {
    name: "denies a vote for nobody",
    options,
    subject: { ...asked, tool_calls: [vote("agent5")], host: { consensus: { answers } } },
    expect: "deny",
    code: "invalid_vote_id",
  },
  {
    name: "denies a vote by an agent that has not seen the newest answer",
    options,
    subject: {
      ...asked,
      tool_calls: [vote("agent1")],
      host: { consensus: { answers: [{ ...answers[0], revision: 2 }], shown: { a: 1 } } },
    },
    expect: "deny",
    code: "stale_revision",
  },
  {
    name: "denies an answer beyond the limit",
    options,
    subject: {
      ...asked,
      agent: "a",
      tool_calls: [answer("yellow")],
      host: { consensus: { answers: [{ agent: "a", content: "red" }], max_answers_per_agent: 1 } },
    },
    expect: "deny",
    code: "answer_limit",
  },
  {
    name: "denies an answer that is too similar",
    options: { ...options, novelty: "balanced" },
    subject: { ...asked, tool_calls: [answer("blue green red")], host: { consensus: { answers } } },
    expect: "deny",
    code: "answer_novelty",
  },
  {
    name: "denies an answer that differs from another only by its folder",
    options,
    subject: {
      ...asked,
      tool_calls: [answer("see /w/b/poem.txt")],
      host: {
        workspace: "/w/b",
        consensus: { answers: [{ agent: "a", content: "see /w/a/poem.txt", workspace: "/w/a" }] },
      },
    },
    expect: "deny",
    code: "answer_duplicate",
  },
]);

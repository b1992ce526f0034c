import { z } from "zod";

const name = z.string().min(1).max(256);

export const reasonsOptions = z.strictObject({
  workflow_tools: z
    .record(name, z.enum(["answer", "vote", "end"]))
    .refine((tools) => Object.keys(tools).length > 0, "expected at least one tool")
    .describe(
      "The tools that end a turn, in the order in which they are named to agents, and what each of them does",
    ),
  fields: z
    .strictObject({
      answer: name.default("content").describe("The argument that holds an answer"),
      vote: name.default("agent_id").describe("The argument that names the agent to vote for"),
      reason: name.default("reason").describe("The argument with the reason for the vote"),
    })
    .prefault({})
    .describe("Where the arguments of workflow tools are"),
  prefixes: z
    .array(name)
    .default(["default_api:", "functions."])
    .describe(
      "Prefixes that models write before the name of a tool: removed if the rest is the name of one",
    ),
  external_tools: z
    .array(name)
    .default([])
    .describe("Tools that the client itself runs: a call of one ends the turn"),
  progress: z
    .strictObject({
      tools: z
        .array(name)
        .default([])
        .describe("Tools whose calls let a turn go on; `*` at the end stands for any rest"),
      in_a_row: z
        .int()
        .positive()
        .max(1_000)
        .default(10)
        .describe("How many such responses may follow one another"),
    })
    .prefault({})
    .describe("Which responses without a workflow tool still comply, because the agent is working"),
  novelty: z
    .enum(["lenient", "balanced", "strict"])
    .default("lenient")
    .describe(
      "The share of its words that an answer may have in common with another: all of them, 70 %, or 50 %",
    ),
  own_answer: z
    .enum(["exclude", "compare"])
    .default("exclude")
    .describe("Whether an answer is also compared with the agent's own earlier ones"),
});

export type ReasonsOptions = z.output<typeof reasonsOptions>;

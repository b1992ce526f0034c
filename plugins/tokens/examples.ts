import { defineExamples } from "@bylaw/testing";
import { createSigner, tokens } from "./src/index.ts";

// A secret that everybody can read here is none: it only makes the examples the same everywhere.
process.env["BYLAW_EXAMPLE_SECRET"] = "an example that is long enough to be a secret";
const keys = [{ id: "example", env: "BYLAW_EXAMPLE_SECRET" }];

const issued = "2026-01-02T09:00:00.000Z";
const at = "2026-01-02T10:00:00.000Z";
const grant = {
  id: "example",
  run: "r1",
  task: "t1",
  agent: "ann",
  phase: "TDD",
  allowed_tools: ["read_files", "bash"],
  at: issued,
};
const { token } = await createSigner({ keys }).sign(grant);
const [head, , signature] = token.split(".");
const forged = [
  head,
  Buffer.from('{"allowed_tools":["everything"]}').toString("base64url"),
  signature,
].join(".");

const call = {
  hook: "beforeToolCall",
  run: "r1",
  task: "t1",
  agent: "ann",
  phase: "TDD",
  at,
  tool: "bash",
  args: { command: "npm test" },
} as const;

const move = {
  hook: "onTransition",
  run: "r1",
  task: "t1",
  agent: "ann",
  from: "TDD",
  to: "IMPL",
  at,
  artifacts: {},
} as const;

export const examples = defineExamples(tokens, [
  {
    name: "says nothing of a call with the token of its task and phase",
    options: { keys },
    subject: { ...call, host: { token } },
    expect: "abstain",
  },
  {
    name: "denies a call without a token",
    options: { keys },
    subject: call,
    expect: "deny",
    code: "token_missing",
  },
  {
    name: "denies a tool that the token does not name",
    options: { keys },
    subject: { ...call, tool: "git_commit", host: { token } },
    expect: "deny",
    code: "token_tool",
  },
  {
    name: "denies a token whose words were changed",
    options: { keys },
    subject: { ...call, host: { token: forged } },
    expect: "deny",
    code: "token_forged",
  },
  {
    name: "denies a token of yesterday",
    options: { keys },
    subject: { ...call, at: "2026-01-03T09:00:00.000Z", host: { token } },
    expect: "deny",
    code: "token_expired",
  },
  {
    name: "denies a token of an earlier phase",
    options: { keys },
    subject: { ...call, phase: "REVIEW", host: { token } },
    expect: "deny",
    code: "token_other_phase",
  },
  {
    name: "denies a transition from a phase that the token is not of",
    options: { keys },
    subject: { ...move, from: "PLAN", host: { token } },
    expect: "deny",
    code: "token_other_phase",
  },
  {
    name: "says nothing of a transition with the token of the phase that it leaves",
    options: { keys },
    subject: { ...move, host: { token } },
    expect: "abstain",
  },
]);

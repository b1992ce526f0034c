import { defineExamples } from "@bylaw/testing";
import { createSigner, tokens } from "./src/index.ts";

// Not a real secret, because everybody can read it here. It makes the examples the same on every machine.
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
    name: "allows a call with the token of its task and phase",
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
    name: "denies a token whose text was changed",
    options: { keys },
    subject: { ...call, host: { token: forged } },
    expect: "deny",
    code: "token_forged",
  },
  {
    name: "denies an expired token",
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
    name: "denies a transition from a phase other than the token's",
    options: { keys },
    subject: { ...move, from: "PLAN", host: { token } },
    expect: "deny",
    code: "token_other_phase",
  },
  {
    name: "allows a transition with the token of the phase that it leaves",
    options: { keys },
    subject: { ...move, host: { token } },
    expect: "abstain",
  },
]);

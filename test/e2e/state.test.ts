import { expect, test } from "vitest";
import { json, workplace } from "./bylaw.ts";

const CONFIG = `
import { defineProjection, definePlugin } from "@bylaw/kernel";
import { policy } from "@bylaw/plugin-policy";
import { z } from "zod";

const tests = defineProjection({
  name: "@acme/tests",
  version: 1,
  initial: { passed: false },
  reduce: (state, { event_type, details }) =>
    event_type === "tool_result" && details["tool"] === "run_tests" ? { passed: details["ok"] === true } : state,
});
const memory = definePlugin({
  name: "@acme/plugin-memory",
  version: "1.0.0",
  options: z.undefined(),
  apply: (kernel) => kernel.projection(tests),
});
export default { plugins: [memory(), policy({ files: ["policy.toml"] })] };
`;
const policyOf = (projection: string): string => `
[[rules]]
name = "publish"
action = "allow"
tool = "publish"

[[rules]]
name = "publish-when-green"
action = "deny"
tool = "publish"
when = { not = { projection = "${projection}", path = "$.passed", operator = "equal", value = true } }
`;

test("a question without a run is answered with the initial state, and explained with the values that were read", async () => {
  const { run } = workplace({ "bylaw.config.mts": CONFIG, "policy.toml": policyOf("@acme/tests") });
  const ran = await run("check --tool publish --json");
  expect(ran).toMatchObject({ code: 1, stderr: "" });
  expect(json(ran)).toMatchObject({
    effect: "deny",
    rule: { name: "publish-when-green", line: 7 },
  });
  const explained = json(await run("explain --tool publish --json"));
  const [{ because }] = explained["taps"] as readonly [
    { readonly because: readonly { readonly name: string }[] },
  ];
  expect(because.find(({ name }) => name === "publish-when-green")).toMatchObject({
    states: { "@acme/tests $.passed": false },
  });
  expect((await run("explain --tool publish")).stdout).toContain("@acme/tests $.passed is false");
});

test("a projection that no plugin declares is an error of the configuration, with its place", async () => {
  const { run } = workplace({ "bylaw.config.mts": CONFIG, "policy.toml": policyOf("@acme/test") });
  const ran = await run("check --tool publish");
  expect(ran).toMatchObject({ code: 2, stdout: "" });
  expect(ran.stderr).toContain(
    "BYLAW_POLICY_INVALID: The rule `publish-when-green` asks about the projection `@acme/test`",
  );
  expect(ran.stderr).toContain("in policy.toml:7");
  expect(ran.stderr).toContain("fix: declared are `@acme/tests`");
});

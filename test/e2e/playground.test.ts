import { createNodeKernel } from "@bylaw/config";
import { policy } from "@bylaw/plugin-policy";
import { expect, it } from "vitest";
import { decide } from "../../docs/site/.vitepress/theme/playground/decide.ts";
import { CALLS, POLICY } from "../../docs/site/.vitepress/theme/playground/examples.ts";

it.each(CALLS)(
  "the playground decides as the policy plugin does: $name",
  async ({ tool, args }) => {
    const cwd = "/home/you/project";
    const kernel = createNodeKernel(
      { plugins: [policy({ text: POLICY, discover: "none" })] },
      { cwd, workspace: cwd, home: "/home/you" },
    );
    const call = { hook: "beforeToolCall", tool, args: JSON.parse(args) } as const;
    const { effect, code, reason, fix, rule } = await kernel.decide(call);
    const { decision } = await decide(POLICY, tool, call.args);
    expect(decision).toMatchObject({ effect, code, reason });
    expect([decision.fix, decision.rule?.name]).toEqual([fix, rule?.name]);
  },
);

it("the playground shows every effect, and says where a policy is wrong", async () => {
  const effects = CALLS.map(async ({ tool, args }) => {
    const { decision } = await decide(POLICY, tool, JSON.parse(args));
    return decision.effect;
  });
  expect(new Set(await Promise.all(effects))).toEqual(new Set(["allow", "ask_user", "deny"]));
  await expect(decide("[[rules]]\nname = 1", "bash", {})).rejects.toMatchObject({
    source: { file: "policy.toml", line: 1 },
  });
});

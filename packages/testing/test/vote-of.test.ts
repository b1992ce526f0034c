import { createKernel, defineCheck, deny } from "@bylaw/kernel";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { behavior, response, toolCall, transition, voteOf } from "../src/index.ts";

const noSecrets = defineCheck({
  name: "no-secrets",
  hook: "beforeToolCall",
  args: z.looseObject({ path: z.string().optional() }),
  check: ({ path }) => (path === ".env" ? deny("`.env` may hold secrets.") : undefined),
});

describe("voteOf", () => {
  it("returns the votes of one plugin, stamped by a real kernel", async () => {
    const votes = await voteOf(noSecrets, toolCall({ args: { path: ".env" } }));
    expect(votes).toMatchObject([
      { effect: "deny", plugin: "no-secrets", tap: "no-secrets", code: "rule_denied" },
    ]);
  });

  it("is empty if the plugin abstains", async () => {
    expect(await voteOf(noSecrets, toolCall({ args: { path: "a.txt" } }))).toEqual([]);
    expect(await voteOf(noSecrets, behavior())).toEqual([]);
  });

  it("throws for an invalid subject", async () => {
    await expect(voteOf(noSecrets, { hook: "beforeToolCall", tool: "a\nb" })).rejects.toFailWith(
      "BYLAW_SUBJECT_INVALID",
    );
  });
});

describe("the builders", () => {
  it.each([toolCall(), transition(), behavior(), response()])(
    "create a subject that the kernel accepts: $hook",
    (subject) => {
      const decision = createKernel({}).decide(subject);
      expect(decision).toMatchObject({ hook: subject.hook, code: "fallback" });
    },
  );

  it("let every field except the hook be overridden", () => {
    expect(toolCall({ tool: "write_file", agent: "a" })).toMatchObject({
      tool: "write_file",
      agent: "a",
      args: {},
    });
    const sly: object = { hook: "onBehavior" };
    expect(toolCall(sly).hook).toBe("beforeToolCall");
  });
});

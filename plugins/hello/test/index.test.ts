import { createKernel } from "@bylaw/kernel";
import { describeExamples, toolCall, voteOf } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { examples } from "../examples.ts";
import { hello } from "../src/index.ts";

describeExamples(examples, { describe, it });

describe("hello", () => {
  it("names the word and the tool in its reason", async () => {
    const [vote] = await voteOf(
      hello(),
      toolCall({ tool: "write_file", args: { text: "password" } }),
    );
    expect(vote?.reason).toContain("`password`");
    expect(vote?.reason).toContain("`write_file`");
  });

  it("cannot be evaded by full-width letters", async () => {
    const votes = await voteOf(
      hello(),
      toolCall({ args: { text: "\uff50\uff41\uff53\uff53\uff57\uff4f\uff52\uff44" } }),
    );
    expect(votes.map((vote) => vote.effect)).toEqual(["ask_user"]);
  });

  it("becomes a deny if nobody can be asked", async () => {
    const kernel = createKernel({ plugins: [hello()], fallback: "allow" });
    const decision = await kernel.decide(
      toolCall({ args: { text: "password" }, interactive: false }),
    );
    expect(decision).toMatchObject({ effect: "deny", code: "approval_unavailable" });
  });

  it("refuses options with an unknown key or an empty word list", () => {
    const misspelt: object = { wrods: ["x"] };
    expect(() => hello(misspelt)).toFailWith("BYLAW_OPTIONS_INVALID");
    expect(() => hello({ words: [] })).toFailWith("BYLAW_OPTIONS_INVALID");
  });
});

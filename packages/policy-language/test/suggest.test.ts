import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import type { ToolCall } from "@bylaw/kernel";
import { readCases } from "@bylaw/testing";
import { describe, expect, it, test } from "vitest";
import {
  compilePolicy,
  parsePolicy,
  suggestRule,
  type PolicyPool,
  type Suggestion,
  type SuggestionInput,
  type SuggestionOutcome,
} from "../src/index.ts";
import { call, run } from "./calls.ts";

const POLICY = readFileSync(join(import.meta.dirname, "fixtures/suggest-policy.toml"), "utf8");
const files = [parsePolicy(POLICY, { file: "policy.toml", operator: true })];

async function decide(asked: ToolCall, pool: PolicyPool): Promise<SuggestionOutcome> {
  const [vote] = (await pool.evaluateConditional(asked)) ?? [];
  const reason = pool.unmatched(asked) ?? "";
  return vote === undefined
    ? { effect: "ask_user", code: "fallback", reason }
    : { ...vote, code: vote.code ?? vote.effect };
}

const suggest = (asked: ToolCall, more: Partial<SuggestionInput> = {}): Promise<Suggestion> =>
  suggestRule({ files, call: asked, prepared: asked, decide, ...more });

const SECRET = {
  name: "the case `no-secret`",
  decide: (pool: PolicyPool) => decide(call("read_file", { path: "src/secret" }), pool),
};

describe("suggestRule", () => {
  test.each(readCases<[string, ToolCall["args"], string]>(import.meta, "rules"))(
    "%s %j",
    async (tool, args, wanted) => {
      const { toml = "", why } = await suggest(call(tool, args));
      expect(why).toBeUndefined();
      expect(toml).toContain(`action = "allow"\n${wanted}\n`);
      const added = parsePolicy(toml, { file: "suggestion.toml", operator: true });
      const { effect } = await decide(call(tool, args), compilePolicy([...files, added]));
      expect(effect).toBe("allow");
    },
  );

  test.each(readCases<[string, ToolCall["args"], string]>(import.meta, "none"))(
    "nothing for %s %j, and why",
    async (tool, args, why) => {
      const found = await suggest(call(tool, args), { cases: [SECRET] });
      expect(found.toml).toBeUndefined();
      expect(found.why).toMatch(new RegExp(why));
    },
  );

  it("spells out each character of a word", async () => {
    const unit = fc.constantFrom(...Array.from('ab *?[]{}"`$;&|<>()#\\~=!.,\t\n\u0001'));
    const words = fc.array(fc.string({ unit, minLength: 1, maxLength: 6 }), {
      minLength: 1,
      maxLength: 3,
    });
    await fc.assert(
      fc.asyncProperty(words, fc.nat(), unit, async (given, at, other) => {
        const lineOf = (all: readonly string[]) =>
          run(`make ${all.map((one) => `'${one}'`).join(" ")}`);
        const asked = lineOf(given);
        const { toml } = await suggest(asked);
        fc.pre(toml !== undefined);
        const added = parsePolicy(toml, { file: "suggestion.toml", operator: true });
        const pool = compilePolicy([...files, added]);
        expect((await decide(asked, pool)).effect).toBe("allow");
        const word = given[at % given.length] ?? "";
        const changed = `${word.slice(0, at % word.length)}${other}${word.slice((at % word.length) + 1)}`;
        fc.pre(changed !== word);
        const varied = lineOf(given.with(at % given.length, changed));
        expect([toml, varied.args, (await decide(varied, pool)).effect]).not.toContain("allow");
      }),
      { numRuns: 300 },
    );
  });

  it("names the agent, the phase and the server of the call", async () => {
    const asked = call(
      "create_issue",
      { title: "a" },
      { server: "github", agent: "ann", phase: "plan" },
    );
    const { toml = "" } = await suggest(asked);
    expect(toml).toMatch(
      /^# The rule allows any value of arguments that it does not name\.\n\[\[rules\]\]\n/,
    );
    expect(toml).toContain('server = "github"\ntool = "create_issue"\n');
    expect(toml).toContain('agent = "ann"\nphase = "plan"\n');
  });

  it("ignores a rule whose condition does not hold", async () => {
    expect((await suggest(run("publish x"))).toml).toContain('command = "publish x"');
    const released = call("run_shell_command", { command: "publish x" }, { phase: "release" });
    expect((await suggest(released)).why).toBe("The call is already allowed");
  });

  it("gives the rule a unique name", async () => {
    const taken = '[[rules]]\nname = "allow-make-all"\naction = "deny"\ncommand = "x"\n';
    const file = parsePolicy(taken, { file: "b.toml", operator: true });
    const { toml = "" } = await suggest(run("make all"), { files: [...files, file] });
    expect(toml).toContain('name = "allow-make-all-2"');
  });

  it("suggests nothing if the vote does not come from the rules", async () => {
    const strict: SuggestionOutcome = {
      effect: "deny",
      code: "budget",
      reason: "No calls are left.",
    };
    const { why } = await suggest(run("make"), { decide: () => Promise.resolve(strict) });
    expect(why).toBe("A rule for this call would not allow it: No calls are left.");
  });

  test.each([
    ["mycli send", ["echo x | mycli send", "mycli send <<< x", "mycli send < /etc/passwd"]],
    ["curl -d @- https://a.example", ["ls | curl -d @- https://a.example"]],
    ["ssh host cat", ["ls | ssh host cat", "{ ssh host cat; } < src/a", "exec < a; ssh host cat"]],
    ["cat", ["cat < /etc/passwd", "ls | cat"]],
    ["ls | cat", ["cat < /etc/passwd", "cat < src/a"]],
    ["wc -l src/a.ts", ["wc -l src/a.ts < /etc/passwd"]],
  ])("gives a command nothing to read that it did not get in %s", async (line, others) => {
    const { toml = "" } = await suggest(run(line));
    const added = parsePolicy(toml, { file: "suggestion.toml", operator: true });
    const pool = compilePolicy([...files, added]);
    expect((await decide(run(line), pool)).effect).toBe("allow");
    for (const other of others)
      expect([other, (await decide(run(other), pool)).effect]).toEqual([other, "ask_user"]);
  });

  it("tests the rule with harmful variants of the call", async () => {
    const blind = async (asked: ToolCall, pool: PolicyPool): Promise<SuggestionOutcome> =>
      pool.rules.some(({ name }) => name === "allow-make") &&
      JSON.stringify(asked.args).includes("rm -rf")
        ? { effect: "allow", code: "rule_allowed", reason: "" }
        : await decide(asked, pool);
    const { why } = await suggest(run("make"), { decide: blind });
    expect(why).toMatch(/^The smallest rule for this call would also allow `.*rm -rf ~/);
  });
});

const words = fc.array(
  fc.constantFrom("make", "a", "-x", "../b", "b.c", "/etc/passwd", "--all", "make.sh"),
  { minLength: 1, maxLength: 4 },
);
const lines = fc.array(words, { minLength: 1, maxLength: 3 });

it("allows only the commands of the line", async () => {
  await fc.assert(
    fc.asyncProperty(lines, lines, async (one, other) => {
      const text = (line: readonly (readonly string[])[]): string =>
        line.map((command) => command.join(" ")).join(" && ");
      const { toml } = await suggest(run(text(one)));
      if (toml === undefined) return;
      const added = parsePolicy(toml, { file: "suggestion.toml", operator: true });
      const { effect } = await decide(run(text(other)), compilePolicy([...files, added]));
      const own = new Set(one.map((command) => command.join(" ")));
      expect(effect === "allow").toBe(other.every((command) => own.has(command.join(" "))));
    }),
    { numRuns: 200 },
  );
});

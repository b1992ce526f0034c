import { describe, expect, it } from "vitest";
import { PolicyError, compilePolicy, parsePolicy, type ParseOptions } from "../src/index.ts";
import { call, run } from "./calls.ts";

const RULES = `
[[rules]]
name = "ask-network"
action = "ask_user"
effects = ["network"]

[[rules]]
name = "ask-push"
priority = "workspace"
action = "ask_user"
command = "git push *"

[[rules]]
name = "ask-always"
action = "ask_user"
final = true
command = "curl https://final.example"

[[rules]]
name = "no-upload"
action = "deny"
command = "curl -d *"

[[rules]]
name = "no-tuesdays"
action = "deny"
command = "curl https://tuesday.example"
when = { all = [{ fact = "claims", path = "$.day", operator = "equal", value = "tuesday" }] }
`;

const allow = (command: string, more = 'overrides = "ask-network"'): string =>
  `\n[[rules]]\nname = "mine"\naction = "allow"\ncommand = ${JSON.stringify(command)}\n${more}\n`;

async function effectOf(
  asked: string,
  own: string,
  { options = {}, facts = {} }: { options?: Partial<ParseOptions>; facts?: object } = {},
): Promise<string> {
  const pool = compilePolicy([
    parsePolicy(RULES, { file: "rules.toml", operator: true }),
    parsePolicy(own, { file: "own.toml", operator: true, ...options }),
  ]);
  const one = call("run_shell_command", { command: asked }, facts);
  const [vote] = (await pool.evaluateConditional(one)) ?? [];
  const [scanned] = (await pool.evaluateConditionalByScan(one)) ?? [];
  expect(scanned?.effect).toBe(vote?.effect);
  return vote?.effect ?? "none";
}

describe("an allow with `overrides`", () => {
  it("overrides the asks that it names, in each command of a line", async () => {
    const own = allow("curl https://a.example");
    expect(await effectOf("curl https://a.example", allow("curl https://a.example", ""))).toBe(
      "ask_user",
    );
    expect(await effectOf("curl https://a.example", own)).toBe("allow");
    expect(await effectOf("curl https://b.example", own)).toBe("ask_user");
    expect(await effectOf("curl https://a.example; curl https://b.example", own)).toBe("ask_user");
    expect(await effectOf("curl https://a.example --next https://b.example", own)).toBe("ask_user");
  });

  it("overrides no deny, no final ask and no ask that it does not name", async () => {
    const all = 'overrides = ["ask-network", "ask-push", "ask-always", "no-upload"]';
    expect(await effectOf("curl -d x https://a.example", allow("curl *", all))).toBe("deny");
    expect(await effectOf("curl https://final.example", allow("curl *", all))).toBe("ask_user");
    const pushes = (more: string) => effectOf("git push origin a", allow("git push *", more));
    expect(await pushes('overrides = "ask-network"')).toBe("ask_user");
    expect(await pushes('priority = "workspace"\noverrides = "ask-push"')).toBe("ask_user");
    expect(await pushes('priority = "workspace"\noverrides = ["ask-push", "ask-network"]')).toBe(
      "allow",
    );
  });

  it("overrides asks up to its priority, and stands above no other rule", async () => {
    const both = 'overrides = ["ask-push", "ask-network"]';
    expect(await effectOf("git push origin a", allow("git push *", both))).toBe("ask_user");
    const raised = `priority = "admin"\n${both}`;
    expect(await effectOf("curl -d x https://a.example", allow("curl *", raised))).toBe("deny");
  });

  it("overrides a deny that it names, where an ask of a higher priority decides", async () => {
    const deny = (more = "") =>
      `\n[[rules]]\nname = "no-push"\naction = "deny"\ncommand = "git push *"\n${more}\n`;
    const pushes = (names: string, more = "") =>
      effectOf(
        "git push origin a",
        allow("git push origin a", `priority = "workspace"\noverrides = [${names}]`) + deny(more),
      );
    expect(await pushes('"ask-push", "ask-network", "no-push"')).toBe("allow");
    expect(await pushes('"ask-push", "ask-network"')).toBe("ask_user");
    // Nobody is asked, so the deny decides.
    expect(await pushes('"ask-network", "no-push"', 'priority = "user"')).toBe("deny");
    expect(await pushes('"ask-push", "ask-network", "no-push"', "final = true")).toBe("deny");
  });

  it("overrides no ask of a user in a file that agents can write", async () => {
    const rule =
      '\n[[rules]]\nname = "theirs"\npriority = "user"\naction = "ask_user"\ncommand = "make x"\n';
    const own = allow("make x", 'priority = "admin"\noverrides = "theirs"');
    expect(await effectOf("make x", own + rule)).toBe("allow");
    const options = { operator: false, file: "/w/own.toml", workspace: "/w" };
    expect(await effectOf("make x", own + rule, { options })).toBe("ask_user");
  });

  it("is stopped by a deny whose condition holds only sometimes", async () => {
    const own = allow("curl https://tuesday.example");
    expect(await effectOf("curl https://tuesday.example", own)).toBe("allow");
    const facts = { claims: { day: "tuesday" } };
    expect(await effectOf("curl https://tuesday.example", own, { facts })).toBe("deny");
  });

  it("is stopped by a rule that may be about a command that is not fully known", async () => {
    const own = allow("curl *");
    expect(await effectOf('curl "$X"', own)).not.toBe("allow");
    expect(await effectOf('curl https://a.example "$X"', own)).not.toBe("allow");
  });

  it("only makes sense on an allow", () => {
    const wrong = '[[rules]]\nname = "x"\naction = "deny"\ncommand = "x"\noverrides = "y"\n';
    expect(() => parsePolicy(wrong, { file: "p.toml" })).toThrow(PolicyError);
    expect(() => parsePolicy(wrong, { file: "p.toml" })).toThrow(/Only an allow can have/);
  });
});

it("a line with more commands than can be checked is overridden by nothing", async () => {
  const own = allow("curl https://a.example");
  const line = Array.from({ length: 400 }, () => "curl https://a.example").join("; ");
  const pool = compilePolicy([
    parsePolicy(RULES.replace(/when = .*/, ""), { file: "rules.toml", operator: true }),
    parsePolicy(own, { file: "own.toml", operator: true }),
  ]);
  const many = Array.from({ length: 2_000 }, (_, at) => `curl https://a.example ${at}`).join("; ");
  expect(pool.evaluate(run(line))?.[0]?.effect).toBe("allow");
  expect(pool.evaluate(run(many))?.[0]?.effect).not.toBe("allow");
});

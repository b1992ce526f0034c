import { parseSync } from "oxc-parser";
import { createKernel, type Decision, type ToolCall } from "@bylaw/kernel";
import { compilePolicy, parsePolicy } from "@bylaw/policy-language";
import { pluginOf } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { filesAt, textOf } from "./workspaces.ts";

const HOOKS = {
  beforeToolCall: "ToolCall",
  onTransition: "Transition",
  onBehavior: "Behavior",
  onEnforcement: "Response",
  "all of them": "SubjectContext",
} as const;

const page = textOf("docs/hooks.md");

function fieldsOf(name: string): readonly string[] {
  for (const file of filesAt("packages/kernel/src/subject*.ts")) {
    for (const statement of parseSync(file, textOf(file)).program.body) {
      if (statement.type !== "ExportNamedDeclaration") continue;
      const { declaration } = statement;
      if (declaration?.type !== "TSInterfaceDeclaration" || declaration.id.name !== name) continue;
      return declaration.body.body.flatMap((member) =>
        member.type === "TSPropertySignature" && member.key.type === "Identifier"
          ? [member.key.name]
          : [],
      );
    }
  }
  throw new Error(`Unexpected absence of ${name}, expected it among the subjects of the kernel`);
}

describe("docs/hooks.md", () => {
  it.each(Object.entries(HOOKS))("lists the fields of a subject of %s", (hook, name) => {
    const section = page.slice(page.indexOf("## The subject of each hook"));
    const row = section
      .split("\n")
      .find((line) => line.startsWith("|") && (line.split("|")[1] ?? "").includes(hook));
    const listed = Array.from(row?.split("|")[2]?.matchAll(/`(\w+)`/g) ?? [], ([, field]) => field);
    expect(new Set(listed)).toEqual(new Set(fieldsOf(name).filter((field) => field !== "hook")));
  });

  it("says of each hook when it is asked and how it ends without votes", () => {
    const rows = page
      .split("\n")
      .filter((line) => /^\| `(before|on)\w+` +\|/.test(line) && line.split("|").length === 7);
    const hooks = rows.map((line) => line.split("|")[1]?.replaceAll("`", "").trim());
    expect(hooks).toEqual(Object.keys(HOOKS).filter((hook) => hook !== "all of them"));
  });

  it("lists the argument types that a tool call may have, and the kernel accepts no others", () => {
    expect(page).toContain("`args` is an object of named arguments, or an array");
    const seen: unknown[] = [];
    const spy = pluginOf("spy", ({ hooks }) =>
      hooks.beforeToolCall.tap("spy", ({ args }) => void seen.push(args)),
    );
    const kernel = createKernel({ plugins: [spy] });
    const codeOf = (args: unknown): unknown =>
      (kernel.decide({ hook: "beforeToolCall", tool: "t", args: args as never }) as Decision).code;
    expect([{}, [], { a: 1 }, ["a"]].map(codeOf)).toEqual([
      "fallback",
      "fallback",
      "fallback",
      "fallback",
    ]);
    expect(seen).toEqual([{}, [], { a: 1 }, ["a"]]);
    expect(["", "a", 1, null, undefined, new Map()].map(codeOf)).toEqual(
      Array.from({ length: 6 }, () => "invalid_call"),
    );
    expect(seen).toHaveLength(4);
  });

  it("says that no rule that reads an argument allows an array", () => {
    const rules = `default = "ask_user"
[[rules]]
name = "to-us"
action = "allow"
tool = "mail"
args.to = { glob = "*@example.com" }
`;
    const pool = compilePolicy([parsePolicy(rules, { file: "policy.toml" })]);
    const effectOf = (args: ToolCall["args"]): unknown =>
      pool.evaluate({ hook: "beforeToolCall", tool: "mail", args })?.[0]?.effect;
    expect([{ to: "a@example.com" }, ["a@example.com"], [], {}].map(effectOf)).toEqual([
      "allow",
      undefined,
      undefined,
      undefined,
    ]);
  });
});

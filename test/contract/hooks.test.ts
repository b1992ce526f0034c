import { parseSync } from "oxc-parser";
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
  for (const file of filesAt("packages/kernel/{src,contract}/subject*.ts")) {
    for (const statement of parseSync(file, textOf(file)).program.body) {
      if (statement.type !== "ExportNamedDeclaration") continue;
      const { declaration } = statement;
      if (declaration?.type !== "TSInterfaceDeclaration" || declaration.id.name !== name) continue;
      return declaration.body.body.flatMap((member) =>
        member.type === "TSPropertySignature" && member.key.type === "Identifier" ? [member.key.name] : [],
      );
    }
  }
  throw new Error(`Unexpected absence of ${name}, expected it among the subjects of the kernel`);
}

describe("docs/hooks.md", () => {
  it.each(Object.entries(HOOKS))("lists the fields of a subject of %s", (hook, name) => {
    const section = page.slice(page.indexOf("## The subject of each hook"));
    const row = section.split("\n").find((line) => line.startsWith("|") && (line.split("|")[1] ?? "").includes(hook));
    const listed = Array.from(row?.split("|")[2]?.matchAll(/`(\w+)`/g) ?? [], ([, field]) => field);
    expect(new Set(listed)).toEqual(new Set(fieldsOf(name).filter((field) => field !== "hook")));
  });

  it("tells of each hook when it is asked and what it comes to when nobody votes", () => {
    const rows = page.split("\n").filter((line) => /^\| `(before|on)\w+` +\|/.test(line) && line.split("|").length === 8);
    const hooks = rows.map((line) => line.split("|")[1]?.replaceAll("`", "").trim());
    expect(hooks).toEqual(Object.keys(HOOKS).filter((hook) => hook !== "all of them"));
  });
});

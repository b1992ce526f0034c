import { parseSync, type Expression, type Node, type Program } from "oxc-parser";
import { describe, expect, it } from "vitest";
import { filesAt, textOf } from "./workspaces.ts";

// The numbers of the acceptance cases of the workflow engine, from one to another.
const SPANS: readonly (readonly [number, number])[] = [
  [1, 33],
  [40, 50],
  [60, 74],
  [80, 89],
  [100, 120],
];
const CASES: readonly string[] = SPANS.flatMap(([first, last]) =>
  Array.from({ length: last - first + 1 }, (_, at) => `WF-${String(first + at).padStart(2, "0")}`),
);
/** Cases of other lists that tests name as well. */
const OTHERS = /^WF-1[34]\d$/;
const ADR = "docs/decisions/0020-acceptance-cases-are-names-of-tests.md";

const TESTS: ReadonlySet<string> = new Set(["it", "test", "describe"]);

/** The numbers that stand in the names of the tests of a file, or in the tables that name them. */
function namedIn(file: string): readonly string[] {
  const { program } = parseSync(file, textOf(file));
  const names: string[] = [];
  walk(program, (node) => {
    if (node.type !== "CallExpression" || !TESTS.has(rootOf(node.callee) ?? "")) return;
    const [name] = node.arguments;
    const tables = node.callee.type === "CallExpression" ? node.callee.arguments : [];
    for (const one of [...(name === undefined ? [] : [name]), ...tables]) names.push(...textsIn(one, program));
  });
  return names.flatMap((name) => name.match(/WF-\d+/g) ?? []);
}

// `it`, `it.each(…)`, `describe.runIf(…)` …
function rootOf(callee: Expression): string | undefined {
  if (callee.type === "Identifier") return callee.name;
  if (callee.type === "MemberExpression") return rootOf(callee.object as Expression);
  return callee.type === "CallExpression" ? rootOf(callee.callee as Expression) : undefined;
}

/** The texts of an expression; those of a constant of the file where it names one. */
function textsIn(given: Node, program: Program): readonly string[] {
  const texts: string[] = [];
  walk(given, (node) => {
    if (node.type === "Literal" && typeof node.value === "string") texts.push(node.value);
    else if (node.type === "TemplateElement") texts.push(node.value.raw);
    // A function is what a test does, not what it is called.
    else if (node.type === "ArrowFunctionExpression" || node.type === "FunctionExpression") return false;
    else if (node.type === "Identifier" && node !== given) return false;
    return true;
  });
  if (given.type !== "Identifier") return texts;
  for (const statement of program.body) {
    if (statement.type !== "VariableDeclaration") continue;
    for (const { id, init } of statement.declarations)
      if (id.type === "Identifier" && id.name === given.name && init !== null) texts.push(...textsIn(init, program));
  }
  return texts;
}

/** Visits nodes, outer ones first; `false` keeps it from what is inside. */
function walk(node: Node, visit: (node: Node) => boolean | void): void {
  if (visit(node) === false) return;
  for (const value of Object.values(node) as readonly unknown[])
    for (const inner of Array.isArray(value) ? (value as readonly unknown[]) : [value])
      if (typeof inner === "object" && inner !== null && "type" in inner) walk(inner as Node, visit);
}

const named = new Map<string, string[]>();
for (const file of filesAt("{packages,plugins,rulesets}/*/test/**/*.test.ts").concat(filesAt("test/**/*.test.ts")))
  for (const id of file.endsWith("contract/acceptance.test.ts") ? [] : namedIn(file)) named.set(id, [...(named.get(id) ?? []), file]);

describe("the acceptance cases of the workflow engine", () => {
  const excepted = Array.from(textOf(ADR).matchAll(/^- (WF-\d+):/gm), ([, id = ""]) => id);

  it("are each in the name of a test, or set aside with the reason", () => {
    expect(CASES.filter((id) => !named.has(id) && !excepted.includes(id))).toEqual([]);
  });

  it("are set aside only where there are such, and no test holds them", () => {
    expect(excepted.filter((id) => !CASES.includes(id))).toEqual([]);
    expect(excepted.flatMap((id) => named.get(id) ?? [])).toEqual([]);
  });

  it("are the only ones that tests name", () => {
    expect([...named.keys()].filter((id) => !CASES.includes(id) && !OTHERS.test(id))).toEqual([]);
  });
});

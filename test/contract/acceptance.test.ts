import { parseSync, type Expression, type Node, type Program } from "oxc-parser";
import { describe, expect, it } from "vitest";
import { filesAt, textOf } from "./workspaces.ts";

/** A numbered list of acceptance cases. */
interface List {
  readonly of: string;
  readonly prefix: string;
  /** The least number of digits. Default: 2. */
  readonly digits?: number;
  /** The numbers of its cases, as inclusive ranges. */
  readonly spans: readonly (readonly [number, number])[];
  /** Cases of other lists that tests name under the same letters. */
  readonly others?: RegExp;
  /** The record that sets cases aside. Left out: no case may be set aside. */
  readonly adr?: string;
}

const LISTS: readonly List[] = [
  {
    of: "the workflow engine",
    prefix: "WF",
    spans: [
      [1, 33],
      [40, 50],
      [60, 74],
      [80, 89],
      [100, 120],
    ],
    others: /^WF-1[34]\d$/,
    adr: "docs/decisions/0020-acceptance-cases-are-names-of-tests.md",
  },
  {
    of: "enforcement and its status",
    prefix: "MG",
    spans: [
      [1, 20],
      [30, 51],
      [60, 73],
      [80, 87],
    ],
    adr: "docs/decisions/0019-a-response-is-judged-once-and-bound-to-what-was-shown.md",
  },
  { of: "what behaviors are required to do", prefix: "FR", digits: 1, spans: [[1, 8]] },
  { of: "the success of behaviors", prefix: "SC", digits: 1, spans: [[1, 9]] },
];

const casesOf = ({ prefix, digits = 2, spans }: List): readonly string[] =>
  spans.flatMap(([first, last]) =>
    Array.from(
      { length: last - first + 1 },
      (_, at) => `${prefix}-${String(first + at).padStart(digits, "0")}`,
    ),
  );

const TESTS: ReadonlySet<string> = new Set(["it", "test", "describe"]);

/** The numbers in the titles of a file's tests, or in the tables that the titles come from. */
function namedIn(file: string): readonly string[] {
  const { program } = parseSync(file, textOf(file));
  const names: string[] = [];
  walk(program, (node) => {
    if (node.type !== "CallExpression" || !TESTS.has(rootOf(node.callee) ?? "")) return;
    const [name] = node.arguments;
    const tables = node.callee.type === "CallExpression" ? node.callee.arguments : [];
    for (const one of [...(name === undefined ? [] : [name]), ...tables])
      names.push(...textsIn(one, { file, program }));
  });
  return names.flatMap((name) => name.match(/\b[A-Z]{2}-\d+/g) ?? []);
}

// `it`, `it.each(…)`, `describe.runIf(…)` …
function rootOf(callee: Expression): string | undefined {
  if (callee.type === "Identifier") return callee.name;
  if (callee.type === "MemberExpression") return rootOf(callee.object as Expression);
  return callee.type === "CallExpression" ? rootOf(callee.callee as Expression) : undefined;
}

interface Source {
  readonly file: string;
  readonly program: Program;
}

/** The folder with the case files of a test file. */
const folderOf = (file: string): string => file.replace(/([^/]*)\.test\.ts$/, "cases/$1");

/** The strings in an expression. Follows a constant of the file, or a file of cases, that it names. */
function textsIn(given: Node, source: Source): readonly string[] {
  const texts: string[] = [];
  walk(given, (node) => {
    if (node.type === "CallExpression" && rootOf(node.callee) === "readCases") {
      const [, name] = node.arguments;
      if (name?.type === "Literal")
        texts.push(textOf(`${folderOf(source.file)}/${String(name.value)}.jsonl`));
      return false;
    }
    if (node.type === "Literal" && typeof node.value === "string") texts.push(node.value);
    else if (node.type === "TemplateElement") texts.push(node.value.raw);
    // A function is the body of a test, not its title.
    else if (node.type === "ArrowFunctionExpression" || node.type === "FunctionExpression")
      return false;
    else if (node.type === "Identifier" && node !== given) return false;
    return true;
  });
  if (given.type !== "Identifier") return texts;
  for (const statement of source.program.body) {
    if (statement.type !== "VariableDeclaration") continue;
    for (const { id, init } of statement.declarations)
      if (id.type === "Identifier" && id.name === given.name && init !== null)
        texts.push(...textsIn(init, source));
  }
  return texts;
}

/** Visits a node, then its children. Returning `false` from `visit` skips the children. */
function walk(node: Node, visit: (node: Node) => boolean | void): void {
  if (visit(node) === false) return;
  for (const value of Object.values(node) as readonly unknown[])
    for (const inner of Array.isArray(value) ? (value as readonly unknown[]) : [value])
      if (typeof inner === "object" && inner !== null && "type" in inner)
        walk(inner as Node, visit);
}

const named = new Map<string, string[]>();
for (const file of filesAt("{packages,plugins,rulesets}/*/test/**/*.test.ts").concat(
  filesAt("test/**/*.test.ts"),
))
  for (const id of file.endsWith("contract/acceptance.test.ts") ? [] : namedIn(file))
    named.set(id, [...(named.get(id) ?? []), file]);

describe.each(LISTS)("the acceptance cases of $of", (list) => {
  const { prefix, others, adr } = list;
  const cases = casesOf(list);
  const excepted = Array.from(
    (adr === undefined ? "" : textOf(adr)).matchAll(/^- ([A-Z]{2}-\d+):/gm),
    ([, id = ""]) => id,
  );

  it("are each in the name of a test, or set aside with the reason", () => {
    expect(cases.filter((id) => !named.has(id) && !excepted.includes(id))).toEqual([]);
  });

  it("are set aside only if they exist and no test covers them", () => {
    expect(excepted.filter((id) => !cases.includes(id))).toEqual([]);
    expect(excepted.flatMap((id) => named.get(id) ?? [])).toEqual([]);
  });

  it("are the only ones in test titles", () => {
    const under = [...named.keys()].filter((id) => id.startsWith(`${prefix}-`));
    expect(under.filter((id) => !cases.includes(id) && others?.test(id) !== true)).toEqual([]);
  });
});

/** Prints how large and how tangled the code is: `npm run structure [-- --json]`. */
import { globSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { parseSync, Visitor } from "oxc-parser";

const root = resolve(import.meta.dirname, "..");
const SKIPPED: ReadonlySet<string> = new Set([
  "node_modules",
  "dist",
  ".git",
  ".turbo",
  "coverage",
  "fixtures",
]);
const OLD_FORMULA = /^Unexpected |, expected /;

interface Measured {
  readonly name: string;
  readonly lines: number;
}

interface SourceFile {
  readonly file: string;
  readonly text: string;
  readonly lines: number;
  /** The number of lines with code, without blank lines and comments. */
  readonly code: number;
  readonly imports: readonly string[];
  readonly exported: readonly string[];
  readonly functions: readonly Measured[];
  readonly messages: readonly string[];
}

const filesAt = (...patterns: string[]): readonly string[] =>
  globSync(patterns, {
    cwd: root,
    exclude: (entry) => SKIPPED.has(entry.name),
    withFileTypes: true,
  })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();

const textOf = (file: string): string => readFileSync(join(root, file), "utf8");
const countLines = (text: string): number => text.trimEnd().split("\n").length;

function read(file: string): SourceFile {
  const text = textOf(file);
  const { program, module, comments } = parseSync(file, text);
  const functions: Measured[] = [];
  const messages: string[] = [];
  const measure = ({ start, end }: { readonly start: number; readonly end: number }): void => {
    const line = countLines(text.slice(0, start));
    functions.push({ name: `${file}:${line}`, lines: text.slice(start, end).split("\n").length });
  };
  const look = (value: unknown): void => {
    if (typeof value === "string" && OLD_FORMULA.test(value)) messages.push(`${file}: ${value}`);
  };
  new Visitor({
    FunctionDeclaration: measure,
    FunctionExpression: measure,
    ArrowFunctionExpression: measure,
    Literal: ({ value }) => look(value),
    TemplateLiteral: ({ quasis }) => look(quasis.map(({ value }) => value.cooked).join("…")),
  }).visit(program);
  return {
    ...{
      file,
      text,
      functions,
      messages,
      lines: countLines(text),
      code: codeLines(text, comments),
    },
    imports: importsOf(module, text),
    exported: module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ exportName: { name } }) => (name === null ? [] : [name])),
    ),
  };
}

type Parsed = ReturnType<typeof parseSync>;

function codeLines(text: string, comments: Parsed["comments"]): number {
  let code = text;
  for (const { start, end } of comments)
    code = code.slice(0, start) + code.slice(start, end).replace(/[^\n]/g, " ") + code.slice(end);
  return code.split("\n").filter((line) => line.trim() !== "").length;
}

const importsOf = (
  { staticImports, staticExports, dynamicImports }: Parsed["module"],
  text: string,
): readonly string[] => [
  ...dynamicImports.map(({ moduleRequest: { start, end } }) => text.slice(start + 1, end - 1)),
  ...staticImports.map(({ moduleRequest }) => moduleRequest.value),
  ...staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest }) => (moduleRequest === null ? [] : [moduleRequest.value])),
  ),
];

/** Groups of files that import each other, also for types or later: strongly connected components by Tarjan. */
function cyclesIn(files: readonly SourceFile[]): readonly (readonly string[])[] {
  const known = new Map(files.map((one) => [one.file, one]));
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];

  function visit(file: string): number {
    const index = order.size;
    order.set(file, index);
    low.set(file, index);
    stack.push(file);
    for (const specifier of known.get(file)?.imports ?? []) {
      const target = specifier.startsWith(".") ? join(dirname(file), specifier) : "";
      if (!known.has(target)) continue;
      const reached = order.has(target)
        ? stack.includes(target)
          ? order.get(target)
          : undefined
        : visit(target);
      low.set(file, Math.min(low.get(file) ?? index, reached ?? index));
    }
    const lowest = low.get(file) ?? index;
    if (lowest !== index) return lowest;
    const group = stack.splice(stack.indexOf(file));
    if (group.length > 1) cycles.push(group.sort());
    return index;
  }

  for (const { file } of files) if (!order.has(file)) visit(file);
  return cycles;
}

/** Messages in data files: rules, contracts and templates. */
const messagesOfData = (): readonly string[] =>
  filesAt("{packages,plugins,rulesets}/**/*.{toml,yaml,json}")
    .filter((file) => !file.includes("/test/"))
    .flatMap((file) =>
      textOf(file)
        .split("\n")
        .filter((line) => /["'] *Unexpected |, expected /.test(line))
        .map((line) => `${file}: ${line.trim()}`),
    );

const largest = (all: readonly Measured[], count = 5): readonly Measured[] =>
  [...all].sort((one, other) => other.lines - one.lines).slice(0, count);

const packageOf = (file: string): string => file.split("/").slice(0, 2).join("/");
const sum = (all: readonly number[]): number => all.reduce((total, one) => total + one, 0);

function measureAll() {
  const sources = filesAt(
    "{packages,plugins,rulesets}/*/src/**/*.ts",
    "{packages,plugins,rulesets}/*/*.ts",
  ).map(read);
  const tests = filesAt("{packages,plugins,rulesets}/*/test/**/*.ts", "test/**/*.ts");
  const functions = sources.flatMap((one) => one.functions);
  const files = sources.map(({ file, lines }) => ({ name: file, lines }));
  const packages = Object.entries(Object.groupBy(sources, ({ file }) => packageOf(file)));
  const kernel = sources.filter(({ file }) => file.startsWith("packages/kernel/"));
  const docs = filesAt("docs/*.md", "README.md", "{packages,plugins,rulesets}/*/README.md");
  /** The number of words on a page, without the bars and rules of tables. */
  const words = (file: string): number =>
    textOf(file)
      .split(/\s+/)
      .filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
  return {
    width: (JSON.parse(textOf(".oxfmtrc.json")) as { readonly printWidth: number }).printWidth,
    source_lines: sum(sources.map(({ lines }) => lines)),
    test_lines: sum(tests.map((file) => countLines(textOf(file)))),
    packages: packages.map(([name, all = []]) => ({
      name,
      lines: sum(all.map(({ lines }) => lines)),
    })),
    files_over_300: files.filter(({ lines }) => lines > 300).length,
    functions_over_60: functions.filter(({ lines }) => lines > 60).length,
    largest_files: largest(files),
    largest_functions: largest(functions),
    cycles: cyclesIn(sources),
    kernel_lines: sum(kernel.map(({ code }) => code)),
    kernel_names: kernel.find(({ file }) => file.endsWith("/src/index.ts"))?.exported.length ?? 0,
    old_messages: [...sources.flatMap(({ messages }) => messages), ...messagesOfData()],
    docs_words: sum(docs.filter((file) => file.startsWith("docs/")).map(words)),
    readme_words: sum(docs.filter((file) => !file.startsWith("docs/")).map(words)),
  };
}

const { values } = parseArgs({ options: { json: { type: "boolean", default: false } } });
const found = measureAll();
if (values.json) console.log(JSON.stringify(found));
else {
  const { packages, largest_files, largest_functions, cycles, old_messages, ...numbers } = found;
  const table = (title: string, rows: readonly Measured[]): void => {
    console.log(`\n${title}`);
    for (const { name, lines } of rows) console.log(`${String(lines).padStart(8)}  ${name}`);
  };
  for (const [name, value] of Object.entries(numbers)) console.log(`${name.padEnd(20)} ${value}`);
  console.log(
    `${"cycles".padEnd(20)} ${cycles.length}\n${"old_messages".padEnd(20)} ${old_messages.length}`,
  );
  table("Lines per package", largest(packages, packages.length));
  table("Largest files", largest_files);
  table("Largest functions", largest_functions);
  if (cycles.length > 0)
    console.log(`\nCycles\n${cycles.map((group) => `  ${group.join(" ")}`).join("\n")}`);
}

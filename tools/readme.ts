import { spawnSync } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import type { Host } from "@bylaw/host";
import type { CatalogueType, RuleSpec } from "@bylaw/log";
import type { Example, ExampleSet } from "@bylaw/testing";
import { routesTable } from "./routes-table.ts";
import { code, table } from "./markdown.ts";

interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly default?: unknown;
  readonly description?: string;
}

interface Factory {
  readonly plugin: {
    readonly name: string;
    readonly options: { toJSONSchema(params: { io: "input"; unrepresentable: "any" }): JsonSchema };
  };
}

const { values: flags, positionals: named } = parseArgs({
  options: { check: { type: "boolean", default: false } },
  allowPositionals: true,
});
const root = resolve(import.meta.dirname, "..");
const problems: string[] = [];
for (const folder of named.length > 0 ? named : globSync("plugins/*", { cwd: root }).sort()) {
  const file = join(folder, "README.md");
  try {
    const current = readFileSync(join(root, file), "utf8");
    write(file, current, await render(folder, current));
  } catch (error) {
    problems.push(`${folder}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
if (named.length === 0) {
  await renderServer();
  await renderHosts();
  await renderEvents();
}
if (problems.length > 0) {
  console.error(problems.join("\n"));
  process.exitCode = 1;
}

/** Writes the tables of the server's routes and settings into the page of its package. */
async function renderServer(): Promise<void> {
  const file = "packages/orchestrator/README.md";
  const { settingsSchema } = (await load("packages/orchestrator/src/config/settings.ts")) as {
    settingsSchema: Factory["plugin"]["options"];
  };
  const schema = settingsSchema.toJSONSchema({ io: "input", unrepresentable: "any" });
  const rows = settingsRows(schema).map(([name, { default: value, description = "" }]) => [
    code(name),
    value === undefined ? "" : code(JSON.stringify(value)),
    description,
  ]);
  const current = readFileSync(join(root, file), "utf8");
  const filled = fill(file, current, {
    routes: routesTable(),
    settings: table(["Setting", "Default", "Meaning"], rows),
  });
  write(file, current, format(file, filled));
}

/** Writes the table of hosts that cannot fail closed into the page of the hosts, from the measurements in their adapters. */
async function renderHosts(): Promise<void> {
  const file = "docs/hosts.md";
  const entries = globSync("packages/host-*/src/index.ts", { cwd: root }).sort();
  const hosts = (await Promise.all(entries.map(load))).flatMap((entry) =>
    Object.values(entry).filter(isHost),
  );
  const outcome = (value: string): string => (value === "runs" ? "**runs**" : value);
  const rows = hosts.map(
    ({ title, capabilities: { version, failures, project_off, managed, rewrites, halts } }) => [
      ...[title, version],
      ...Object.values(failures).map(outcome),
      outcome(project_off),
      managed ? "blocks" : "–",
      rewrites === "all" ? "yes" : rewrites.map(code).join(" ") || "–",
      halts ? "yes" : "–",
    ],
  );
  const columns = [
    "exit 1",
    "killed",
    "missing",
    "timeout",
    "no JSON",
    "project file",
    "managed",
    "changes",
    "halts",
  ];
  const current = readFileSync(join(root, file), "utf8");
  const filled = fill(file, current, { hosts: table(["Host", "Version", ...columns], rows) });
  write(file, current, format(file, filled));
}

/** Writes the tables of event types and rules into the pages of the log and the coordinator. */
async function renderEvents(): Promise<void> {
  const file = "packages/log/README.md";
  const { COORDINATOR_TYPES, LOG_RULES, RUN_TYPES } = await load("packages/log/src/index.ts");
  const types = [COORDINATOR_TYPES, RUN_TYPES] as readonly (readonly CatalogueType[])[];
  const rows = types
    .flat()
    .map(({ group, name, when, details }) => [
      ...[group, code(name), when],
      Object.keys(details.shape).map(code).join(" "),
    ]);
  const columns = ["Group", "Type", "Recorded when", "Details"];
  const current = readFileSync(join(root, file), "utf8");
  const sections = { events: table(columns, rows), rules: rulesTable(LOG_RULES) };
  write(file, current, format(file, fill(file, current, sections)));
  const page = "plugins/coordinator/README.md";
  const { COORDINATOR_RULES } = await load("plugins/coordinator/src/index.ts");
  const before = readFileSync(join(root, page), "utf8");
  write(page, before, format(page, fill(page, before, { rules: rulesTable(COORDINATOR_RULES) })));
}

function rulesTable(rules: unknown): string {
  const rows = Object.entries(rules as Readonly<Record<string, RuleSpec>>).map(
    ([rule, { severity, says }]) => [code(rule), severity, says],
  );
  return table(["Rule", "Severity", "Says"], rows);
}

function isHost(value: unknown): value is Host {
  return typeof value === "object" && value !== null && "capabilities" in value && "title" in value;
}

function settingsRows({ properties = {} }: JsonSchema, group = ""): [string, JsonSchema][] {
  return Object.entries(properties).flatMap(([key, schema]): [string, JsonSchema][] =>
    schema.properties === undefined
      ? [[`${group}${key}`, schema]]
      : settingsRows(schema, `${group}${key}.`),
  );
}

function write(file: string, current: string, wanted: string): void {
  if (wanted === current) return;
  if (flags.check) problems.push(`${file} has stale sections. Run \`npm run readme\`.`);
  else {
    writeFileSync(join(root, file), wanted);
    console.log(`wrote ${file}`);
  }
}

async function render(folder: string, text: string): Promise<string> {
  const { examples } = (await load(join(folder, "examples.ts"))) as { examples: ExampleSet };
  const entry = await load(join(folder, "src/index.ts"));
  const factory = Object.values(entry).find(
    (value): value is Factory => isFactory(value) && value.plugin.name === examples.plugin,
  );
  const options = factory?.plugin.options.toJSONSchema({ io: "input", unrepresentable: "any" });
  const filled = fill(`${folder}/README.md`, text, {
    options: options === undefined ? "It takes no options." : optionsTable(options),
    examples: exampleTable(examples.examples),
  });
  return format(join(folder, "README.md"), filled);
}

async function load(file: string): Promise<Readonly<Record<string, unknown>>> {
  return (await import(pathToFileURL(join(root, file)).href)) as Readonly<Record<string, unknown>>;
}

function isFactory(value: unknown): value is Factory {
  return typeof value === "function" && "plugin" in value;
}

function fill(file: string, text: string, sections: Readonly<Record<string, string>>): string {
  let filled = text;
  for (const [name, body] of Object.entries(sections)) {
    const open = `<!-- ${name} -->`;
    const close = `<!-- /${name} -->`;
    const start = filled.indexOf(open);
    const end = filled.indexOf(close);
    if (start < 0 || end < start) {
      throw new Error(`${file} needs the comments \`${open}\` and \`${close}\``);
    }
    filled = `${filled.slice(0, start + open.length)}\n\n${body}\n\n${filled.slice(end)}`;
  }
  return filled;
}

function optionsTable({ properties = {}, required = [] }: JsonSchema): string {
  const rows = Object.entries(properties).map(([name, schema]) => [
    code(name),
    code(typeOf(schema)),
    "default" in schema
      ? code(JSON.stringify(schema.default))
      : required.includes(name)
        ? "required"
        : "–",
    schema.description ?? "",
  ]);
  return rows.length === 0
    ? "It takes no options."
    : table(["Option", "Type", "Default", "Meaning"], rows);
}

function typeOf(schema: JsonSchema): string {
  if (schema.enum !== undefined)
    return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return choices.map(typeOf).join(" | ");
  if (schema.type === "array") {
    const item = typeOf(schema.items ?? {});
    return item.includes(" | ") ? `(${item})[]` : `${item}[]`;
  }
  const { additionalProperties: values, properties } = schema;
  if (schema.type === "object" && properties === undefined && typeof values === "object") {
    return `{ [name]: ${typeOf(values)} }`;
  }
  return typeof schema.type === "string" ? schema.type : (schema.type?.join(" | ") ?? "any");
}

function exampleTable(examples: readonly Example[]): string {
  const past = examples.some(({ before }) => before !== undefined);
  const rows = examples.map(
    ({ name, options, before = [], subject: { hook, ...fields }, expect, code: told }) => [
      name,
      options === undefined ? "" : code(JSON.stringify(options)),
      ...(past
        ? [
            before
              .map(({ event_type, details }) => code(`${event_type} ${JSON.stringify(details)}`))
              .join(", "),
          ]
        : []),
      code(hook === "beforeToolCall" ? callOf(fields) : `${hook} ${JSON.stringify(fields)}`),
      `${code(expect)}${told === undefined ? "" : ` ${code(told)}`}`,
    ],
  );
  return table(["It …", "Options", ...(past ? ["After"] : []), "Asked about", "Answer"], rows);
}

function callOf(fields: {
  readonly [name: string]: unknown;
  readonly tool?: string;
  readonly args?: unknown;
}): string {
  const { tool = "read_file", args = {}, ...rest } = fields;
  const more = Object.keys(rest).length === 0 ? "" : ` ${JSON.stringify(rest)}`;
  return `${tool} ${JSON.stringify(args)}${more}`;
}

function format(file: string, text: string): string {
  const bin = join(root, "node_modules/oxfmt/bin/oxfmt");
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [bin, `--stdin-filepath=${file}`],
    { cwd: root, input: text, encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`oxfmt failed on ${file}: ${stderr}`);
  return stdout;
}

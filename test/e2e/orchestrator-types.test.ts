import { spawnSync } from "node:child_process";
import { copyFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createOrchestrator } from "@bylaw/orchestrator";
import { temporaryFolder } from "@bylaw/testing";
import { root } from "../contract/workspaces.ts";

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly (string | number | boolean)[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
}

interface Operation {
  readonly requestBody?: {
    readonly content: { readonly "application/json": { readonly schema: Schema } };
  };
  readonly responses: Readonly<
    Record<
      string,
      { readonly content?: { readonly "application/json": { readonly schema: Schema } } }
    >
  >;
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const PLAIN: Readonly<Record<string, string>> = {
  string: "string",
  integer: "number",
  number: "number",
  boolean: "boolean",
  null: "null",
};

/** The TypeScript type of a schema. Throws for a schema that it does not know. */
function typeOf(schema: Schema): string {
  const {
    $ref,
    type,
    enum: values,
    anyOf,
    items,
    properties,
    required = [],
    additionalProperties: more,
  } = schema;
  if ($ref !== undefined) return $ref.slice($ref.lastIndexOf("/") + 1);
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(" | ");
  if (anyOf !== undefined) return anyOf.map(typeOf).join(" | ");
  // The generator makes an unconstrained value optional; the service always sends it.
  if (type === undefined && properties === undefined) return "Json";
  if (Array.isArray(type))
    return type.includes("object")
      ? "Json"
      : (type as readonly string[]).map((one) => typeOf({ ...schema, type: one })).join(" | ");
  if (type === "array" && items !== undefined) return `readonly (${typeOf(items)})[]`;
  if (type === "object") {
    if (properties === undefined)
      return typeof more === "object" && Object.keys(more).length > 0
        ? `Readonly<Record<string, ${typeOf(more)}>>`
        : "JsonObject";
    const fields = Object.entries(properties).map(
      ([name, one]) =>
        `readonly ${name}${required.includes(name) || typeOf(one) === "Json" ? "" : "?"}: ${typeOf(one)}`,
    );
    return `{ ${[...fields, ...(typeof more === "object" ? ["readonly [more: string]: unknown"] : [])].join("; ")} }`;
  }
  const plain = typeof type === "string" ? PLAIN[type] : undefined;
  if (plain === undefined)
    throw new Error(`This test does not know the schema ${JSON.stringify(schema)}`);
  return plain;
}

it("the types of the client equal those in the service's description", async () => {
  const folder = temporaryFolder();
  const contract = join(folder, "agent_workflow.yaml");
  copyFileSync(join(root, "rulesets/tdd/agent_workflow.yaml"), contract);
  const server = await createOrchestrator({
    settings: { contract, data: join(folder, ".bylaw"), workspace: join(folder, "work") },
    secrets: { enrol: "e".repeat(40), operator: "o".repeat(40) },
  });
  onTestFinished(() => server.close());
  const { paths, components } = (await (
    await server.app.request("/api/v1/openapi.json")
  ).json()) as OpenApi;
  const operation = (method: string, path: string): Operation => {
    const found = paths[path]?.[method] ?? paths[`/api/v1${path}`]?.[method];
    if (found === undefined) throw new Error(`There is no ${method} ${path}`);
    return found;
  };
  const answer = (method: string, path: string, status = 200): Schema =>
    operation(method, path).responses[status]?.content?.["application/json"].schema ?? {};
  const asked = (path: string): Schema =>
    operation("post", path).requestBody?.content["application/json"].schema ?? {};
  const served: Readonly<Record<string, Schema>> = {
    ClaimAnswer: answer("post", "/tasks/claim"),
    TransitionAnswer: answer("post", "/tasks/transition"),
    HeartbeatAnswer: answer("post", "/tasks/heartbeat"),
    ToolAnswer: answer("post", "/tools/execute"),
    PendingAnswer: answer("post", "/tools/execute", 202),
    CheckAnswer: answer("post", "/tools/check"),
    BatchCheckAnswer: answer("post", "/tools/check/batch").properties?.["decisions"]?.items ?? {},
    ToolQuestion: asked("/tools/check/batch").properties?.["calls"]?.items ?? {},
    ToolsAnswer: answer("get", "/tools"),
    ResponseAnswer: answer("post", "/responses"),
    ConcludedAnswer: answer("post", "/consensus/vote"),
    ConsensusState: answer("get", "/consensus"),
    ConsensusTerms: asked("/consensus"),
    ShownAnswers: answer("post", "/consensus/show"),
    BehaviorAnswer: answer("post", "/behaviors"),
    Snapshot: answer("get", "/state/snapshot"),
    Approval: components.schemas["Approval"] ?? {},
  };
  const names = Object.keys(served);
  const text = [
    `import type { ${[...names.map((name) => `${name} as Own${name}`), "Decision", "Json", "JsonObject"].join(", ")} } from "@bylaw/sdk";`,
    ...names
      .filter((name) => name !== "Approval")
      .map((name) => `type ${name} = ${typeOf(served[name] ?? {})};`),
    `type Approval = ${typeOf(served["Approval"] ?? {})};`,
    // Equal in every field, in what is optional, and in nothing more.
    "type Same<One, Other> = (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false;",
    ...names.map((name) => `export const same${name}: Same<Own${name}, ${name}> = true;`),
    "export type Used = Decision | Json | JsonObject;",
  ];
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(join(folder, "same.ts"), text.join("\n"));
  const compilerOptions = {
    noEmit: true,
    rootDir: ".",
    declaration: false,
    declarationMap: false,
    types: [],
    lib: ["es2024", "dom"],
  };
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ extends: join(root, "tsconfig.json"), compilerOptions, files: ["same.ts"] }),
  );
  const { stdout } = spawnSync(
    process.execPath,
    [join(root, "node_modules/typescript/bin/tsc"), "-p", "."],
    { cwd: folder, encoding: "utf8" },
  );
  expect(stdout).toBe("");
});

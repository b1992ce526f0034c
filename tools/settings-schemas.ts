import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { z } from "zod";
import { DATA_CONFIG, packageName } from "../packages/config/src/config-schema.ts";
import { operatorsSchema } from "../packages/orchestrator/src/approvals/operators.ts";
import { settingsSchema } from "../packages/orchestrator/src/config/settings.ts";

type JsonSchema = z.core.JSONSchema.JSONSchema;
type Params = Parameters<z.ZodType["toJSONSchema"]>[0];

const DIALECT = "https://json-schema.org/draft/2020-12/schema";
const PARAMS = {
  io: "input",
  unrepresentable: "any",
  override({ zodSchema, jsonSchema }) {
    // Such as a check that the host made: a file cannot hold one.
    if (zodSchema instanceof z.ZodCustom) jsonSchema.not = {};
    // It is for the server, which resolves such texts against the folder of the file.
    delete jsonSchema["path"];
  },
} as const satisfies Params;

/** The schema of a file of operators. */
export const operatorsJsonSchema = (): JsonSchema =>
  described(operatorsSchema, "Bylaw operators", "Who may answer the questions of agents.");

/** The schema of the settings of a server. */
export function serveJsonSchema(): JsonSchema {
  const file = settingsSchema.extend({ $schema: DATA_CONFIG.shape.$schema });
  return described(file, "Bylaw server settings", "The settings of `bylaw serve`.");
}

/** The schema of a configuration in JSON, YAML or TOML, with the options of all published plugins. */
export async function configJsonSchema(): Promise<JsonSchema> {
  const schema = described(
    DATA_CONFIG,
    "Bylaw configuration",
    "The plugins and rulesets that decide what agents may do.",
  );
  const plugins = await Promise.all(packagesIn("plugins").map(pluginOf));
  const { properties = {} } = schema;
  return {
    ...schema,
    properties: {
      ...properties,
      extends: { ...(properties["extends"] as JsonSchema), items: nameOf(packagesIn("rulesets")) },
      plugins: { ...(properties["plugins"] as JsonSchema), items: useOf(plugins) },
    },
  };
}

function described(schema: z.ZodType, title: string, description: string): JsonSchema {
  const { $schema: _, ...rest } = schema.toJSONSchema(PARAMS) as JsonSchema;
  return { $schema: DIALECT, title, description, ...rest };
}

interface Package {
  readonly name: string;
  readonly description: string;
  readonly private?: boolean;
}

function packagesIn(folder: string): readonly Package[] {
  const root = resolve(import.meta.dirname, "..");
  return globSync(`${folder}/*/package.json`, { cwd: root })
    .sort()
    .map((file) => JSON.parse(readFileSync(join(root, file), "utf8")) as Package)
    .filter((manifest) => manifest.private !== true);
}

// The names that editors offer, or that of any other package.
const nameOf = (offered: readonly Package[]): JsonSchema => ({
  anyOf: [
    ...offered.map(({ name, description }) => ({ const: name, description })),
    plain(packageName),
  ],
});

interface PluginPackage extends Package {
  readonly options: JsonSchema;
}

interface Factory {
  readonly plugin: { readonly name: string; readonly options: z.ZodType };
}

async function pluginOf(manifest: Package): Promise<PluginPackage> {
  const entry = (await import(manifest.name)) as Readonly<Record<string, unknown>>;
  const factory = Object.values(entry).find(
    (value): value is Factory =>
      typeof value === "function" && (value as Partial<Factory>).plugin?.name === manifest.name,
  );
  if (factory === undefined) throw new Error(`${manifest.name} exports no plugin of its name`);
  return { ...manifest, options: plain(factory.plugin.options) };
}

function plain(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...rest } = schema.toJSONSchema(PARAMS) as JsonSchema;
  return rest;
}

/** One use of a plugin: its name, or an object with its options. */
function useOf(plugins: readonly PluginPackage[]): JsonSchema {
  const named = plugins.map(({ name }) => name);
  const needy = plugins.filter(({ options }) => needsOptions(options)).map(({ name }) => name);
  return {
    anyOf: [
      { ...nameOf(plugins), not: { enum: needy } },
      ...plugins.map(({ name, description, options }) =>
        withOptions({ const: name, description }, options),
      ),
      withOptions({ ...plain(packageName), not: { enum: named } }, { type: "object" }),
    ],
  };
}

const needsOptions = ({ required = [] }: JsonSchema): boolean => required.length > 0;

const withOptions = (use: JsonSchema, options: JsonSchema): JsonSchema => ({
  type: "object",
  properties: { use, options: { description: "The options of the plugin", ...options } },
  required: needsOptions(options) ? ["use", "options"] : ["use"],
  additionalProperties: false,
});

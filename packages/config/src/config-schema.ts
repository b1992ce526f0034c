import { describeIssues, didYouMean, salvage } from "@bylaw/wording";
import { APPROVAL_MODES, BylawError, ENFORCEMENT_MODES } from "@bylaw/kernel";
import { z } from "zod";
import { CONFIG_KEYS } from "./config-keys.ts";
import type { DataFile, DataPath } from "./data-file.ts";
import type { ReadConfig } from "./read-config.ts";
import { PACKAGE_NAME, type DataConfig } from "./plain-config.ts";

/** The name of an npm package. */
export const packageName = z
  .string()
  .max(214)
  .regex(PACKAGE_NAME, "expected the name of an npm package");

const pluginUse = z.preprocess(
  (entry) => (typeof entry === "string" ? { use: entry } : entry),
  z.strictObject({ use: packageName, options: z.record(z.string(), z.unknown()).optional() }),
);

const RULESETS = "Rulesets, whose plugins are added to yours";
const PLUGINS = "Plugins, with their options";

/** A configuration that is a module. The kernel checks its rulesets and plugins. */
const MODULE_CONFIG = z.strictObject({
  extends: z.array(z.unknown()).optional().describe(RULESETS),
  without: z
    .array(z.string())
    .optional()
    .describe(
      "What to exclude from `extends`: a ruleset, a plugin, or `<plugin>/<rule>`. Each entry must match something",
    ),
  plugins: z.array(z.unknown()).optional().describe(PLUGINS),
  fallback: z
    .enum(["allow", "ask_user", "deny"])
    .optional()
    .describe("The effect when no plugin votes and no policy has a `default`. Default: `ask_user`"),
  approval_mode: z
    .enum(APPROVAL_MODES)
    .optional()
    .describe("What becomes of a question that only the fallback raised. Default: `ask`"),
  enforcement_mode: z
    .enum(ENFORCEMENT_MODES)
    .optional()
    .describe(
      "`strict` applies the verdict, `permissive` lets the call pass and warns, `advisory` only records. Default: `strict`",
    ),
  deadline_ms: z
    .number()
    .positive()
    .max(2_147_483_647)
    .optional()
    .describe("Milliseconds that an asynchronous check may take before it denies. Default: 10,000"),
});

/** A configuration file in a data format, in which packages are named, not imported. */
export const DATA_CONFIG = MODULE_CONFIG.extend({
  $schema: z.string().optional().describe("The JSON Schema of this file, for editors"),
  extends: z.array(packageName).optional().describe(RULESETS),
  plugins: z.array(pluginUse).optional().describe(PLUGINS),
});

interface CheckedConfig {
  readonly config: DataConfig;
  readonly faults: readonly BylawError[];
  /** Whether the value at a path was replaced, because the one in the file is wrong. */
  readonly isReplaced: (path: DataPath) => boolean;
}

/** The valid part of a configuration file in a data format, and its faults with file and line. */
export async function checkedConfig(file: string, data: DataFile): Promise<CheckedConfig> {
  const { data: config = {}, issues, isReplaced } = salvage(DATA_CONFIG, data.value, keysAt);
  const faults = issues
    .flatMap((issue) => describe(issue, data.value))
    .map(async ({ path, message, fix }) =>
      invalid({ file, ...(await data.place(path)) }, message, fix),
    );
  return { config, faults: await Promise.all(faults), isReplaced };
}

/** The valid settings of a configuration that is a module, and the faults of the others. */
export function checkedModule(file: string, config: object): ReadConfig {
  const { error } = MODULE_CONFIG.safeParse(config);
  const described = (error?.issues ?? []).flatMap((issue) => describe(issue, config));
  const wrong = new Set(described.map(({ path }) => path[0]));
  return {
    config: Object.fromEntries(Object.entries(config).filter(([key]) => !wrong.has(key))),
    faults: described.map(({ message, fix }) => invalid({ file }, message, fix)),
  };
}

const invalid = (
  source: NonNullable<BylawError["source"]>,
  message: string,
  fix: string | undefined,
): BylawError => new BylawError({ code: "BYLAW_CONFIG_INVALID", message, fix, source });

interface Described {
  readonly path: DataPath;
  readonly message: string;
  readonly fix: string | undefined;
}

const keysAt = (path: DataPath): readonly string[] =>
  path.length === 0 ? CONFIG_KEYS : ["use", "options"];

function describe(issue: z.core.$ZodIssue, root: unknown): readonly Described[] {
  if (issue.code === "unrecognized_keys") {
    const known = keysAt(issue.path);
    const where = issue.path.length === 0 ? "" : ` in \`${issue.path.map(String).join(".")}\``;
    return issue.keys.map((key) => ({
      path: [...issue.path, key],
      message: `Unknown key \`${key}\`${where}`,
      fix: didYouMean(key, known) ?? `Known keys: ${known.join(", ")}`,
    }));
  }
  const actual = valueAt(root, issue.path);
  const values = issue.code === "invalid_value" ? issue.values.map(String) : [];
  const not = actual === undefined ? "" : `, not ${show(actual)}`;
  return [
    {
      path: issue.path,
      message: `${describeIssues({ issues: [issue] }, "the configuration")}${not}`,
      fix: typeof actual === "string" ? didYouMean(actual, values) : undefined,
    },
  ];
}

function valueAt(root: unknown, path: DataPath): unknown {
  let value = root;
  for (const step of path) value = (value as Record<PropertyKey, unknown> | undefined)?.[step];
  return value;
}

function show(value: unknown): string {
  const text = JSON.stringify(value);
  return `\`${text.length > 60 ? `${text.slice(0, 60)}…` : text}\``;
}

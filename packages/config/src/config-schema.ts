import { describeIssues, nearest } from "@bylaw/wording";
import { APPROVAL_MODES, BylawError, ENFORCEMENT_MODES } from "@bylaw/kernel";
import { z } from "zod";
import { CONFIG_KEYS } from "./config-keys.ts";
import type { DataFile, DataPath } from "./data-file.ts";
import { PACKAGE_NAME, type DataConfig } from "./plain-config.ts";

const packageName = z.string().max(214).regex(PACKAGE_NAME, "expected the name of an npm package");

const pluginUse = z.preprocess(
  (entry) => (typeof entry === "string" ? { use: entry } : entry),
  z.strictObject({ use: packageName, options: z.record(z.string(), z.unknown()).optional() }),
);

/** A configuration file that is data: packages are named, not imported. */
const DATA_CONFIG = z.strictObject({
  extends: z.array(packageName).optional(),
  without: z.array(z.string()).optional(),
  plugins: z.array(pluginUse).optional(),
  fallback: z.enum(["allow", "ask_user", "deny"]).optional(),
  approval_mode: z.enum(APPROVAL_MODES).optional(),
  enforcement_mode: z.enum(ENFORCEMENT_MODES).optional(),
  deadline_ms: z.number().positive().max(2_147_483_647).optional(),
});

/** The value of a configuration file that is data. Throws BYLAW_CONFIG_INVALID with file and line. */
export async function checkedConfig(file: string, data: DataFile): Promise<DataConfig> {
  const { data: config, error } = DATA_CONFIG.safeParse(data.value);
  if (error === undefined) return config;
  const [issue] = error.issues;
  if (issue === undefined) throw new TypeError("a refused configuration without an issue");
  const more = error.issues.length > 1 ? ` (and ${error.issues.length - 1} more)` : "";
  const { path, message, fix } = describe(issue, data.value);
  throw new BylawError({
    code: "BYLAW_CONFIG_INVALID",
    message: `${message}${more}`,
    fix,
    source: { file, ...(await data.place(path)) },
    cause: error,
  });
}

interface Described {
  readonly path: DataPath;
  readonly message: string;
  readonly fix: string | undefined;
}

function describe(issue: z.core.$ZodIssue, root: unknown): Described {
  if (issue.code === "unrecognized_keys") {
    const [key = ""] = issue.keys;
    const known = issue.path.length === 0 ? CONFIG_KEYS : ["use", "options"];
    const near = nearest(key, known);
    const where = issue.path.length === 0 ? "" : ` in \`${issue.path.map(String).join(".")}\``;
    return {
      path: [...issue.path, key],
      message: `Unknown key \`${key}\`${where}`,
      fix: near === undefined ? `Known keys: ${known.join(", ")}` : `Did you mean \`${near}\`?`,
    };
  }
  const actual = valueAt(root, issue.path);
  const values = issue.code === "invalid_value" ? issue.values.map(String) : [];
  const near = typeof actual === "string" ? nearest(actual, values) : undefined;
  const not = actual === undefined ? "" : `, not ${show(actual)}`;
  return {
    path: issue.path,
    message: `${describeIssues({ issues: [issue] }, "the configuration")}${not}`,
    fix: near === undefined ? undefined : `Did you mean \`${near}\`?`,
  };
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

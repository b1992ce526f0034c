import { describeIssues, nearest } from "@bylaw/wording";
import {
  APPROVAL_MODES,
  BylawError,
  ENFORCEMENT_MODES,
  type Config,
  type Plugin,
} from "@bylaw/kernel";
import { z } from "zod";
import { CONFIG_KEYS } from "./config-keys.ts";
import { isBylawError } from "./is-bylaw-error.ts";
import { pluginFactoryOf, rulesetOf, type PackageLoader } from "./packages.ts";
import { parseData, type DataFile, type DataPath } from "./parse-data.ts";

// What npm accepts as a name, and nothing that a path could hide in.
const packageName = z
  .string()
  .max(214)
  .regex(
    /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/,
    "expected the name of an npm package",
  );

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

/**
 * Reads a JSON, YAML or TOML configuration and loads the packages that it names. Throws BYLAW_CONFIG_INVALID with file and
 * line, BYLAW_CONFIG_UNLOADABLE for a package, BYLAW_OPTIONS_INVALID for the options of a plugin.
 */
export async function readDataConfig(
  file: string,
  text: string,
  loaderFor: (names: readonly string[]) => PackageLoader,
): Promise<Config> {
  const data = parseData(file, text);
  const parsed = DATA_CONFIG.safeParse(data.value);
  if (!parsed.success) throw invalid(file, data, parsed.error);
  const { extends: rulesets, plugins, ...settings } = parsed.data;
  const load = loaderFor([...(rulesets ?? []), ...(plugins ?? []).map(({ use }) => use)]);
  const at = async <T>(path: DataPath, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw placed(error, file, data, path);
    }
  };
  const config: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(settings)) if (value !== undefined) config[key] = value;
  if (rulesets !== undefined) {
    config["extends"] = await Promise.all(
      rulesets.map((name, index) =>
        at(["extends", index], async () => rulesetOf(name, await load(name))),
      ),
    );
  }
  if (plugins !== undefined) {
    config["plugins"] = await Promise.all(
      plugins.map(({ use, options }, index) =>
        at(["plugins", index], async (): Promise<Plugin> =>
          pluginFactoryOf(use, await load(use))(options),
        ),
      ),
    );
  }
  return config;
}

function placed(error: unknown, file: string, data: DataFile, path: DataPath): unknown {
  if (!isBylawError(error) || error.source !== undefined) return error;
  const { code, message, fix } = error;
  return new BylawError({
    code,
    message,
    fix,
    source: { file, ...data.place(path) },
    cause: error,
  });
}

function invalid(file: string, data: DataFile, error: z.ZodError): BylawError {
  const [issue] = error.issues;
  if (issue === undefined) throw new TypeError("a refused configuration without an issue");
  const more = error.issues.length > 1 ? ` (and ${error.issues.length - 1} more)` : "";
  const { path, message, fix } = describe(issue, data.value);
  return new BylawError({
    code: "BYLAW_CONFIG_INVALID",
    message: `${message}${more}`,
    fix,
    source: { file, ...data.place(path) },
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

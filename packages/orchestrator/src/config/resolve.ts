import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parseJson } from "@bylaw/config";
import { BylawError, isJsonObject, type Json, type JsonObject } from "@bylaw/kernel";
import { describeIssues, didYouMean, keysAt, quote, salvage, type KeySchema } from "@bylaw/wording";
import { z } from "zod";
import { SettingsError, type Origin, type SettingFault } from "./settings-error.ts";
import { settingsSchema, type Settings } from "./settings.ts";

/** Settings, and the origin of each that is not a default. */
export interface ResolvedSettings {
  readonly settings: Settings;
  /** By the path of the setting: `limits.body_bytes`. */
  readonly origins: Readonly<Record<string, Origin>>;
  /** The file of settings, if there is one. */
  readonly file: string | undefined;
}

interface Sources {
  /** By path, as given on the command line. */
  readonly flags?: Readonly<Record<string, string | readonly string[]>>;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The file of settings. Default: `bylaw.serve.json` in the working directory, if it exists. */
  readonly file?: string | undefined;
  readonly cwd?: string;
}

// Names the JSON Schema of the file, for editors.
const SCHEMA_KEY = "$schema";

/** The default file of settings. */
export const SETTINGS_FILE = "bylaw.serve.json";

interface Leaf {
  readonly path: string;
  readonly type: string;
  readonly isPath: boolean;
}

interface Shape {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly path?: boolean;
}

const leavesOf = (shape: Shape, above = ""): readonly Leaf[] =>
  Object.entries(shape.properties ?? {}).flatMap(([name, one]) => {
    const path = above === "" ? name : `${above}.${name}`;
    return one.properties === undefined
      ? [
          {
            path,
            type: one.type ?? "string",
            isPath: one.path === true || one.items?.path === true,
          },
        ]
      : leavesOf(one, path);
  });

const SEE = "See `bylaw serve --help` or docs/serve.md.";
const SHAPE = z.toJSONSchema(settingsSchema, { io: "input" }) as Shape & KeySchema;
/** Every setting that can be set. */
export const LEAVES: readonly Leaf[] = leavesOf(SHAPE);

/** The environment variable of a setting: in capitals, with `_` for each dot. */
const variableOf = (path: string): string => `BYLAW_${path.replaceAll(".", "_").toUpperCase()}`;

const GROUPS = new Set(
  LEAVES.flatMap(({ path }) => (path.includes(".") ? [variableOf(path.split(".")[0] ?? "")] : [])),
);

/**
 * Resolves settings from all sources: flags take precedence over the environment, that over the file, and that over defaults. Throws
 * BYLAW_SETTINGS_INVALID with every unknown setting and every invalid value from any source.
 */
export function resolveSettings({
  flags = {},
  environment = {},
  file: named,
  cwd = process.cwd(),
}: Sources = {}): ResolvedSettings {
  const usual = resolve(cwd, SETTINGS_FILE);
  const file = named === undefined ? (existsSync(usual) ? usual : undefined) : resolve(cwd, named);
  const tree: Record<string, Json> = {};
  const origins: Record<string, Origin> = {};
  if (file !== undefined) {
    for (const [path, value] of valuesIn(read(file))) {
      if (path === SCHEMA_KEY && typeof value === "string") continue;
      put(
        tree,
        path,
        LEAVES.some((leaf) => leaf.path === path && leaf.isPath)
          ? placed(value, dirname(file), path)
          : value,
      );
      origins[path] = "file";
    }
  }
  for (const { path, type } of LEAVES) {
    const said = environment[variableOf(path)];
    if (said === undefined || said === "") continue;
    put(tree, path, valueOf(said, type));
    origins[path] = "environment";
  }
  for (const [path, said] of Object.entries(flags)) {
    const { type = "string" } = LEAVES.find((leaf) => leaf.path === path) ?? {};
    put(tree, path, typeof said === "string" ? valueOf(said, type) : [...said]);
    origins[path] = "flag";
  }
  const { data, issues, isReplaced } = salvage(settingsSchema, tree, keysOf);
  const faults = [...variableFaults(environment), ...issues.flatMap(faultsOf)];
  if (data !== undefined && faults.length === 0) return { settings: data, origins, file };
  const contract = isReplaced(["contract"]) ? undefined : data;
  throw new SettingsError({ faults, origins, file, settings: contract });
}

const keysOf = (path: readonly PropertyKey[]): readonly string[] => keysAt(SHAPE, path);

function faultsOf(issue: z.core.$ZodIssue): readonly SettingFault[] {
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => ({
      path: [...issue.path, key],
      message: `Settings: unknown key ${quote([...issue.path, key].join("."))}`,
      fix: didYouMean(key, keysOf(issue.path)) ?? SEE,
    }));
  const said = describeIssues({ issues: [issue] }, "the settings");
  return [{ path: issue.path, message: `Settings: ${said}`, fix: SEE }];
}

// Only this server uses variables of its groups, so an unknown one is a misspelling.
function variableFaults(
  environment: Readonly<Record<string, string | undefined>>,
): readonly SettingFault[] {
  const known = LEAVES.map(({ path }) => variableOf(path));
  return Object.keys(environment)
    .filter(
      (name) => !known.includes(name) && [...GROUPS].some((group) => name.startsWith(`${group}_`)),
    )
    .map((name) => ({
      path: undefined,
      message: `No setting has the variable ${quote(name)}`,
      fix: didYouMean(name, known) ?? "See `bylaw serve --print-config` for all settings.",
    }));
}

function read(file: string): JsonObject {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw invalid(
      `Cannot read ${quote(file)}`,
      "Name a readable file of settings in JSON.",
      file,
      error,
    );
  }
  const value = parseJson(text, { file });
  if (isJsonObject(value)) return value;
  throw invalid(
    `${quote(file)} must hold a JSON object of settings`,
    'For example: {"port": 8000}',
    file,
  );
}

// An unknown group stays whole, so that the schema reports it.
function* valuesIn(object: JsonObject, above = ""): Generator<readonly [string, Json]> {
  for (const [name, value] of Object.entries(object)) {
    const path = above === "" ? name : `${above}.${name}`;
    if (isJsonObject(value) && LEAVES.some((leaf) => leaf.path.startsWith(`${path}.`)))
      yield* valuesIn(value, path);
    else yield [path, value];
  }
}

const placed = (value: Json, folder: string, path: string): Json => {
  if (Array.isArray(value))
    return (value as readonly Json[]).map((one) => placed(one, folder, path));
  if (typeof value !== "string") return value;
  if (path !== "store") return resolve(folder, value);
  return /^postgres(?:ql)?:/i.test(value)
    ? value
    : `sqlite:${resolve(folder, value.replace(/^sqlite:/, ""))}`;
};

function put(tree: Record<string, Json>, path: string, value: Json): void {
  const names = path.split(".");
  const last = names.pop() ?? "";
  let at = tree;
  for (const name of names) at = (at[name] ??= {}) as Record<string, Json>;
  at[last] = value;
}

function valueOf(said: string, type: string): Json {
  if (type === "array") return said.split(",").filter((one) => one !== "");
  if (type === "boolean") return said === "true" ? true : said === "false" ? false : said;
  if (type === "integer" || type === "number")
    return /^-?\d+(\.\d+)?$/.test(said) ? Number(said) : said;
  return said;
}

const invalid = (what: string, fix: string, file?: string, cause?: unknown): BylawError =>
  new BylawError({
    code: "BYLAW_SETTINGS_INVALID",
    message: what,
    fix,
    ...(file === undefined ? {} : { source: { file } }),
    ...(cause === undefined ? {} : { cause }),
  });

import { APPROVAL_MODES, ENFORCEMENT_MODES, isJsonObject, type Config } from "@bylaw/kernel";

type Settings = Omit<Config, "extends" | "plugins">;

/** A configuration file in a data format, in which packages are named, not imported. */
export type DataConfig = { readonly [Key in keyof Settings]?: Settings[Key] | undefined } & {
  readonly $schema?: string | undefined;
  readonly extends?: readonly string[] | undefined;
  readonly plugins?: readonly (string | PluginUse)[] | undefined;
};

/** A plugin, named by its package. */
export interface PluginUse {
  readonly use: string;
  readonly options?: unknown;
}

/** Matches the names that npm accepts, which cannot contain a path. */
export const PACKAGE_NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;

type Test = (value: unknown) => boolean;

const listOf =
  (test: Test): Test =>
  (value) =>
    Array.isArray(value) && value.every(test);
const oneOf =
  (names: readonly unknown[]): Test =>
  (value) =>
    names.includes(value);
const isName: Test = (value) =>
  typeof value === "string" && value.length <= 214 && PACKAGE_NAME.test(value);
const isUse: Test = (value) =>
  isName(value) ||
  (isJsonObject(value) &&
    isName(value["use"]) &&
    Object.keys(value).every(
      (key) => key === "use" || (key === "options" && isJsonObject(value[key])),
    ));

const isText: Test = (value) => typeof value === "string";

const TESTS: Readonly<Record<string, Test>> = {
  $schema: isText,
  extends: listOf(isName),
  without: listOf(isText),
  plugins: listOf(isUse),
  fallback: oneOf(["allow", "ask_user", "deny"]),
  approval_mode: oneOf(APPROVAL_MODES),
  enforcement_mode: oneOf(ENFORCEMENT_MODES),
};

/** Whether the schema would certainly accept a configuration. Loading the schema takes longer than all of its checks. */
export const isPlain = (value: unknown): value is DataConfig =>
  isJsonObject(value) &&
  Object.entries(value).every(([key, part]) => Object.hasOwn(TESTS, key) && TESTS[key]?.(part));

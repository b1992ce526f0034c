export {
  createConfiguredKernel,
  type ConfiguredKernel,
  type ConfiguredKernelOptions,
  type ReportEntry,
} from "./configured-kernel.ts";
export { CONFIG_EXTENSIONS, findConfig } from "./find-config.ts";
export { writeGitignore } from "./write-gitignore.ts";
export { isBylawError } from "./is-bylaw-error.ts";
export { loadConfig, type LoadConfigOptions, type LoadedConfig } from "./load-config.ts";
export { lockFileOf } from "./lock-file.ts";
export {
  installedPackage,
  readRulesetLock,
  type AcceptedRuleset,
  type RulesetLock,
} from "./ruleset-lock.ts";
export { loadRuleset } from "./load-ruleset.ts";
export { createNodeKernel, type NodeKernelOptions } from "./node-kernel.ts";
export { packageDigest, packageFiles, SIGNATURE_FILE, type PackageFile } from "./package-files.ts";
export {
  packageLoaderFor,
  type BundledPackages,
  type BuiltInPackage,
  type BuiltInPackages,
  type PackageLoader,
} from "./packages.ts";
export { parseData } from "./parse-data.ts";
export type { DataFile, DataPath } from "./data-file.ts";
export { parseJson, type ParseJsonOptions } from "./parse-json.ts";

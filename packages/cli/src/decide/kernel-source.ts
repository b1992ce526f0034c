import { statSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import {
  createConfiguredKernel,
  findConfig,
  isBylawError,
  packageLoaderFor,
  type BundledPackages,
  type BuiltInPackage,
  type BuiltInPackages,
} from "@bylaw/config";
import { BylawError, createKernel, type Kernel, type Plugin } from "@bylaw/kernel";
import type * as PolicyPlugin from "@bylaw/plugin-policy";
import eventLogManifest from "@bylaw/plugin-event-log/package.json" with { type: "json" };
import pluginManifest from "@bylaw/plugin-policy/package.json" with { type: "json" };
import everydayManifest from "@bylaw/ruleset-everyday/package.json" with { type: "json" };
import recommendedManifest from "@bylaw/ruleset-recommended/package.json" with { type: "json" };
import { distinctFiles } from "../io/distinct-files.ts";
import { entryOf, fileOf } from "../io/own-packages.ts";
import { OWN_PACKAGES } from "../io/own-package-names.ts";
import { findingLine } from "../io/report-error.ts";
import { whileLoading } from "../io/exit-code.ts";

/** The origin of the rules. */
export interface KernelSourceOptions {
  /** Policy files of the operator, relative to the working directory. */
  readonly policy?: readonly string[];
  /** A configuration file. Default without policies: the nearest one in the working directory or above. */
  readonly config?: string;
  /** Plugins of the command itself, beside those of a configuration. */
  readonly more?: readonly Plugin[];
}

/** The plugin that reads policy files. */
export const POLICY_PLUGIN = "@bylaw/plugin-policy";
const EVENT_LOG = "@bylaw/plugin-event-log";
const RECOMMENDED = "@bylaw/ruleset-recommended";
const EVERYDAY = "@bylaw/ruleset-everyday";

/** Packages that a project may use without installing them. Each is located when it is first needed. */
export const bundled = (): BundledPackages =>
  Object.defineProperties(
    {},
    Object.fromEntries(
      OWN_PACKAGES.map((name) => [name, { enumerable: true, get: () => entryOf(name) }]),
    ),
  );

/**
 * The compiled forms of the rulesets that come with this command, for policy files that may be copies of them. A compiled form is
 * only used for exactly the same text.
 */
function ownForms(files: readonly string[]): string[] {
  const sizes = new Set(files.map(sizeOf));
  return [RECOMMENDED, EVERYDAY]
    .filter((name) => sizes.has(sizeOf(fileOf(name, "policy.toml"))))
    .map((name) => fileURLToPath(fileOf(name, "dist/policy.compiled.json")));
}

const sizeOf = (file: string | URL): number | undefined =>
  statSync(file, { throwIfNoEntry: false })?.size;

// Loading them from a project's folder takes twice as long, because there they are hundreds of files.
const contained = (): BuiltInPackages => ({
  [POLICY_PLUGIN]: containedPackage(pluginManifest, () => import("@bylaw/plugin-policy")),
  [EVENT_LOG]: containedPackage(eventLogManifest, () => import("@bylaw/plugin-event-log")),
  [RECOMMENDED]: containedPackage(recommendedManifest, () => import("@bylaw/ruleset-recommended")),
  [EVERYDAY]: containedPackage(everydayManifest, () => import("@bylaw/ruleset-everyday")),
});

interface PackageManifest {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const containedPackage = (
  { version, dependencies = {} }: PackageManifest,
  load: () => Promise<object>,
): BuiltInPackage => ({ version, dependencies, load: async () => ({ ...(await load()) }) });

/** Loads the kernel that decides. With policies but no configuration, only these policies decide. */
export async function loadKernelFor({
  policy = [],
  config,
  more = [],
}: KernelSourceOptions): Promise<Kernel> {
  const files: readonly string[] = distinctFiles(policy).map((file) => resolve(file));
  try {
    return await makeKernel(files, config, more);
  } catch (error) {
    throw missingPolicy(error, files);
  }
}

/** Adds a fix to the error for a missing policy file that the command line named. Returns any other error unchanged. */
export function missingPolicy(error: unknown, files: readonly string[]): unknown {
  if (
    !isBylawError(error) ||
    error.code !== "BYLAW_POLICY_MISSING" ||
    !files.includes(error.source?.file ?? "") ||
    "findings" in error
  )
    return error;
  const { code, message, source } = error;
  return new BylawError({
    code,
    message,
    fix: "Create the file, or name another on the command line",
    source,
    cause: error,
  });
}

async function makeKernel(
  files: readonly string[],
  config: string | undefined,
  more: readonly Plugin[],
): Promise<Kernel> {
  if (config === undefined && files.length > 0) {
    const plugin = await import("@bylaw/plugin-policy");
    const kernel = createKernel(
      {
        plugins: [
          plugin.policy({
            ...{ files: [...files], operator: true, discover: "none" },
            compiled: ownForms(files),
          }),
        ],
      },
      { name: "--policy" },
    );
    warn(kernel, plugin);
    return kernel;
  }
  const file = config === undefined ? await findConfig(process.cwd()) : resolve(config);
  return await whileLoading(file, async () => {
    const { kernel, load } = await createConfiguredKernel({
      file,
      bundled: bundled(),
      contained: contained(),
      add: async (_file, _config, loadPackage) => {
        if (files.length === 0) return more;
        const plugin = (await loadPackage(POLICY_PLUGIN)) as unknown as typeof PolicyPlugin;
        return [...more, plugin.policy({ files: [...files], operator: true, discover: "none" })];
      },
    });
    if (kernel.plugins.some(({ plugin }) => plugin.name === POLICY_PLUGIN))
      warn(kernel, (await load(POLICY_PLUGIN)) as unknown as typeof PolicyPlugin);
    return kernel;
  });
}

/** Loads the policy plugin from the configuration's own packages, because a kernel refuses two copies of one plugin. */
export async function policyPlugin(configFile: string): Promise<typeof PolicyPlugin> {
  const load = await packageLoaderFor(configFile, bundled());
  return (await load(POLICY_PLUGIN)) as unknown as typeof PolicyPlugin;
}

/** The policies of a kernel, read with the same copy of the plugin that the kernel uses. */
export function policySourcesOf(
  { plugins }: Kernel,
  { policySources }: typeof PolicyPlugin,
): PolicyPlugin.PolicySources {
  const instances = plugins.find(({ plugin }) => plugin.name === POLICY_PLUGIN)?.instances ?? [];
  return policySources(instances as Parameters<typeof policySources>[0]);
}

// Prints the policies' warnings. A warning does not stop the policy from deciding.
function warn(kernel: Kernel, { policyWarnings }: typeof PolicyPlugin): void {
  for (const { plugin, instances } of kernel.plugins) {
    if (plugin.name !== POLICY_PLUGIN) continue;
    for (const instance of instances) {
      const warnings = policyWarnings(instance as Parameters<typeof policyWarnings>[0]);
      for (const warning of warnings) process.stderr.write(`${findingLine(warning)}\n`);
    }
  }
}

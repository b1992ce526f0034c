import { dirname, isAbsolute, relative, resolve } from "node:path";
import { createConfiguredKernel, findConfig, isBylawError } from "@bylaw/config";
import { BylawError, createKernel } from "@bylaw/kernel";
import type * as PolicyPlugin from "@bylaw/plugin-policy";
import {
  lintPolicies,
  type LintFinding,
  type PolicyFile,
  type ToolTable,
} from "@bylaw/policy-language";
import { isConfig, isContract } from "../config/file-kind.ts";
import { distinctFiles } from "../io/distinct-files.ts";
import { findingsOf } from "../io/report-error.ts";
import { bundled, missingPolicy, policyPlugin, policySourcesOf } from "../decide/kernel-source.ts";
import { lintText } from "../io/lint-report.ts";
import { conclude, whileLoading } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";
import { paintFor } from "../io/text.ts";
import type { CommandSpec, OptionSpec, OptionsOf } from "../command-line/command.ts";
import { JSON_OPTION } from "../command-line/shared-options.ts";

const OPTIONS = [
  ["--config <file>", "a configuration whose policies to lint"],
  JSON_OPTION,
] as const satisfies readonly OptionSpec[];

export const command: CommandSpec = {
  arguments: {
    file: [
      "policies, contracts (.yaml), or a bylaw.config.* whose policies to lint (default: the nearest one upwards)",
    ],
  },
  options: OPTIONS,
  help: `
Exit code: 0 no errors, 1 errors were found, 2 usage or configuration error.

Examples:
  $ bylaw lint
  $ bylaw lint .bylaw/policy.toml --json`,
  run: lint,
};

/** Policies that decide together. Those that do not load are in `broken`. */
interface Pool {
  readonly files: readonly PolicyFile[];
  readonly tools?: ToolTable;
  /** Policies that are usually loaded together with these. The only findings about them are rules of `files` that override theirs. */
  readonly beside?: readonly PolicyFile[];
  /** The findings about files that do not load. */
  readonly broken: readonly LintFinding[];
  /** The number of files that do not load. */
  readonly refused: number;
  /** The folder of the user's own policies. Of other policies, such as those of a ruleset, only errors are reported. */
  readonly root?: string;
}

/** Prints the problems in policies, in a configuration's policies and in contracts. The exit code is 1 if one of them is an error. */
async function lint(names: readonly string[], options: OptionsOf<typeof OPTIONS>): Promise<void> {
  const named = options.config === undefined ? [] : [resolve(options.config)];
  const files =
    names.length > 0
      ? names.map((name) => resolve(name))
      : named.length > 0
        ? []
        : [await nearestConfig()];
  const policies = distinctFiles(files.filter((file) => !isConfig(file) && !isContract(file)));
  const pools = policies.length === 0 ? [] : [await ofPolicies(policies)];
  for (const contract of distinctFiles(files.filter((file) => !isConfig(file) && isContract(file))))
    pools.push(await ofContract(contract));
  for (const config of distinctFiles([...named, ...files.filter(isConfig)]))
    pools.push(await ofConfig(config));
  const findings: LintFinding[] = [];
  for (const { files: loaded, tools, beside = [], broken, root } of pools) {
    const found = await lintPolicies(loaded, { beside, ...(tools === undefined ? {} : { tools }) });
    findings.push(
      ...broken,
      ...found.filter(({ file, severity }) => severity === "error" || isOwn(file, root)),
    );
  }
  const count = pools.reduce((sum, pool) => sum + pool.files.length + pool.refused, 0);
  await write(
    options.json === true
      ? jsonLine({ findings })
      : `${lintText(findings, count, paintFor(process.stdout))}\n`,
  );
  conclude(findings.some(({ severity }) => severity === "error") ? 1 : 0);
}

function isOwn(file: string, root: string | undefined): boolean {
  if (root === undefined) return true;
  const below = relative(root, resolve(file));
  return !isAbsolute(below) && !/^\.\.(?:[\\/]|$)|(?:^|[\\/])node_modules[\\/]/.test(below);
}

async function nearestConfig(): Promise<string> {
  try {
    return await findConfig(process.cwd());
  } catch (cause) {
    if (!isBylawError(cause) || cause.code !== "BYLAW_CONFIG_MISSING") throw cause;
    const { code, message } = cause;
    throw new BylawError({
      code,
      message,
      fix: "Run `bylaw init`, or name the policies: `bylaw lint FILE...`",
      cause,
    });
  }
}

async function ofContract(file: string): Promise<Pool> {
  const { lintContractFile } = await import("@bylaw/contract");
  const below = relative(process.cwd(), file);
  return {
    files: [],
    broken: lintContractFile(below.startsWith("..") || isAbsolute(below) ? file : below).findings,
    refused: 1,
  };
}

async function ofPolicies(files: readonly string[]): Promise<Pool> {
  const plugin = await import("@bylaw/plugin-policy");
  const loaded: PolicyFile[] = [];
  const broken: LintFinding[] = [];
  let refused = 0;
  // One by one, so that one file that does not load does not hide the findings of the others.
  for (const file of files) {
    const pool = await attempt(
      () =>
        policySourcesOf(
          createKernel(
            { plugins: [plugin.policy({ files: [file], operator: true, discover: "none" })] },
            { name: "lint" },
          ),
          plugin,
        ),
      [file],
    );
    loaded.push(...pool.files);
    broken.push(...pool.broken);
    refused += pool.refused;
  }
  return { files: loaded, beside: await recommendedBeside(loaded, plugin), broken, refused };
}

// A policy that is linted alone is usually loaded together with a ruleset.
async function recommendedBeside(
  files: readonly PolicyFile[],
  plugin: typeof PolicyPlugin,
): Promise<readonly PolicyFile[]> {
  if (files.every(({ rules }) => rules.every(({ source }) => source.tier === "default"))) return [];
  const { recommended } = await import("@bylaw/ruleset-recommended");
  const found = policySourcesOf(createKernel({ extends: [recommended] }), plugin).files;
  return found.filter(({ file }) => files.every((own) => own.file !== file));
}

async function ofConfig(file: string): Promise<Pool> {
  const pool = await whileLoading(file, () =>
    attempt(async () => {
      const { kernel } = await createConfiguredKernel({ file, bundled: bundled() });
      return policySourcesOf(kernel, await policyPlugin(file));
    }),
  );
  return { ...pool, root: dirname(file) };
}

async function attempt(
  load: () => PolicyPlugin.PolicySources | Promise<PolicyPlugin.PolicySources>,
  files: readonly string[] = [],
): Promise<Pool> {
  try {
    return { ...(await load()), broken: [], refused: 0 };
  } catch (error) {
    const broken = findingsOf(error);
    if (broken.length === 0) throw missingPolicy(error, files);
    return {
      files: [],
      broken: broken as readonly LintFinding[],
      refused: new Set(broken.map(({ file }) => file)).size,
    };
  }
}

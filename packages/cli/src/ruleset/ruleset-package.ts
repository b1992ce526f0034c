import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import {
  isBylawError,
  loadRuleset,
  packageDigest,
  parseJson,
  type PackageFile,
} from "@bylaw/config";
import { createKernel, isJsonObject, messageOf, type JsonObject, type Kernel } from "@bylaw/kernel";
import type { PolicySources } from "@bylaw/plugin-policy";
import { inlineCallsOf } from "@bylaw/policy-language";
import semver from "semver";
import { readCases, type PolicyCase } from "../cases/case-file.ts";
import { callOf } from "../decide/call.ts";
import { defaultsFrom } from "../decide/call-options.ts";
import { bundled, policyPlugin, policySourcesOf, POLICY_PLUGIN } from "../decide/kernel-source.ts";
import { unreadable } from "./npm.ts";
import { filesOf } from "./package-files.ts";
import type { PackagePlace } from "./package-place.ts";
import type { ComparedCall } from "./compare.ts";

/** A ruleset package that is loaded, as npm publishes it. */
export interface RulesetPackage {
  readonly folder: string;
  readonly name: string;
  readonly version: string;
  readonly manifest: JsonObject;
  readonly files: readonly PackageFile[];
  /** The digest of all files, as `sha256:…`. */
  readonly digest: string;
  /** The kernel of a project that extends only this ruleset. */
  readonly kernel: Kernel;
  /** The uses of plugins by this ruleset itself, without those of the rulesets that it extends. */
  readonly own: Kernel["plugins"][number]["instances"];
  /** The policies that decide, with those of the rulesets that it extends. Undefined if it has none. */
  readonly policies: PolicySources | undefined;
  /** The number of rules, and the `final` ones as `<plugin>/<rule>`. Both include the rulesets that it extends. */
  readonly rules: number;
  readonly final: readonly string[];
  /** The cases about tool calls. */
  readonly cases: readonly PolicyCase[];
  /** The calls in the cases and in the examples of the rules. */
  readonly calls: readonly ComparedCall[];
}

/** Loads a package and runs its code. Throws BYLAW_RULESET_UNREADABLE, and the errors of a configuration that extends it. */
export async function readRuleset(place: PackagePlace): Promise<RulesetPackage> {
  const { folder } = place;
  const { name, version, manifest } = manifestIn(place);
  const files = await filesOf(place);
  const ruleset = await loadRuleset(folder, name, bundled());
  // In its own folder, so that no other place influences a decision.
  const configFile = join(folder, "package.json");
  const kernel = createKernel({ extends: [ruleset] }, { name: "ruleset", configFile });
  const uses = kernel.plugins.flatMap(({ plugin, instances }) =>
    instances.map((instance) => ({ plugin, instance, rules: plugin.definition.rules(instance) })),
  );
  const policies = kernel.plugins.some(({ plugin }) => plugin.name === POLICY_PLUGIN)
    ? policySourcesOf(kernel, await policyPlugin(configFile))
    : undefined;
  const cases: PolicyCase[] = [];
  for (const path of files.map((file) => file.path).filter(isCaseFile))
    cases.push(...(await casesIn(join(folder, path))));
  return {
    ...{ folder, name, version, manifest, files, kernel, policies, cases },
    digest: packageDigest(files),
    own: uses.flatMap(({ instance }) => (instance.from === `ruleset > ${name}` ? [instance] : [])),
    rules: uses.reduce((sum, { rules }) => sum + rules.length, 0),
    final: uses
      .flatMap(({ plugin, rules }) =>
        rules.filter(({ final }) => final === true).map((rule) => `${plugin.name}/${rule.name}`),
      )
      .toSorted(),
    calls: [...callsOfCases(cases, folder), ...callsOfRules(policies)],
  };
}

function manifestIn({ folder, named, name: wanted }: PackagePlace): {
  readonly name: string;
  readonly version: string;
  readonly manifest: JsonObject;
} {
  const file = join(folder, "package.json");
  let manifest: unknown;
  try {
    manifest = parseJson(readFileSync(file, "utf8"));
  } catch (cause) {
    throw unreadable(
      `${named} has no \`package.json\` that can be read${isBylawError(cause) ? `: ${messageOf(cause)}` : ""}`,
      { fix: "Name a ruleset; `bylaw ruleset new` makes one", file, cause },
    );
  }
  const { name, version } = isJsonObject(manifest as never) ? (manifest as JsonObject) : {};
  if (typeof name !== "string" || typeof version !== "string" || semver.valid(version) === null)
    throw unreadable("`package.json` has no `name`, or no `version` such as 1.0.0", { file });
  if (wanted !== undefined && wanted !== name)
    throw unreadable(`The package that is installed as \`${wanted}\` calls itself \`${name}\``, {
      fix: `Remove it, and install \`${wanted}\` again`,
      file,
    });
  return { name, version, manifest: manifest as JsonObject };
}

const isCaseFile = (path: string): boolean => /(?:^|\/)cases[^/]*\.jsonl$/i.test(path);

// Cases in another format are about responses or events, which no policy decides.
async function casesIn(file: string): Promise<readonly PolicyCase[]> {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.some(asksAboutTool)
    ? await readCases(file, defaultsFrom({ interactive: true }))
    : [];
}

function asksAboutTool(line: string): boolean {
  if (line.trim() === "") return false;
  try {
    return Object.hasOwn(Object(JSON.parse(line)) as object, "tool");
  } catch {
    // Kept, so that it is read as a case and refused.
    return true;
  }
}

/** The calls in cases. `folder`: the folder to which their places are relative. */
export const callsOfCases = (
  cases: readonly PolicyCase[],
  folder: string,
): readonly ComparedCall[] =>
  cases.flatMap(({ id, call, past, file, line }) => {
    const below = `${relative(folder, file)}:${line}`;
    return call === undefined
      ? []
      : [{ at: { line, sequence: id === `${file}:${line}` ? below : id }, call, past }];
  });

function callsOfRules(policies: PolicySources | undefined): readonly ComparedCall[] {
  if (policies === undefined) return [];
  const { files, tools } = policies;
  const place = callOf({ tool: "", args: {} }, defaultsFrom({ interactive: true }));
  return files.flatMap((file) =>
    inlineCallsOf(file, place, tools).map(({ rule, line, call }) => ({
      at: { line, sequence: `example of ${rule}` },
      call,
      past: undefined,
    })),
  );
}

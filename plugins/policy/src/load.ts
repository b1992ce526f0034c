import { createHash } from "node:crypto";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { BylawError, Faults } from "@bylaw/kernel";
import {
  extendTools,
  parsePolicy,
  type ParseOptions,
  type PolicyFile,
  type ToolTable,
} from "@bylaw/policy-language";
import { realPath } from "@bylaw/policy-language/real-paths";
import { readCompiledForm } from "./compiled-forms.ts";
import { findPolicies, type Discover } from "./discover.ts";
import type { PolicyInstance, PolicyOptions } from "./options.ts";
import type { Places } from "./places.ts";
import { readPolicy } from "./read.ts";

/** The files of one use of the plugin, read and compiled. */
export interface LoadedPolicy {
  readonly files: readonly PolicyFile[];
  readonly tools: ToolTable;
  /** The paths of the files and the configuration, as named and with links resolved. */
  readonly sources: readonly string[];
}

// A text is compiled once per use of the plugin, although the kernel asks for its rules more than once. Files are read every time,
// so that a new kernel never decides by an old text.
const compiled = new WeakMap<
  PolicyOptions,
  Map<string, { readonly text: string; readonly policy: PolicyFile }>
>();

/** Reads and compiles the policies of one use. Throws all PolicyErrors and errors of {@link readPolicy} as one. */
export function loadPolicy({ options, configFile }: PolicyInstance): LoadedPolicy {
  const base = baseOf(configFile);
  const tools = extendTools(options.tools);
  const workspace = resolve(options.workspace ?? base);
  const parse = parserOf(options);
  const files: PolicyFile[] = [];
  const faults = new Faults();
  const read = (work: () => PolicyFile): void => {
    const file = faults.attempt(work);
    if (file !== undefined) files.push(file);
  };
  const forms = (options.compiled ?? []).map((name) => pathOf(name, base));
  const sources = configFile === undefined ? [] : [configFile, realPath(configFile) ?? configFile];
  sources.push(...forms);
  for (const name of namedIn(options)) {
    const path = pathOf(name, base);
    sources.push(path, realPath(path) ?? path);
    const file = shownOf(path, base);
    const place = insideOf(path, workspace) ? { origin: join(workspace, file), workspace } : {};
    // Agents can write files in the workspace, so a compiled form there never counts for a policy outside.
    const isInside = "workspace" in place;
    const trusted = forms.filter((form) => isInside || !insideOf(form, workspace));
    const { operator } = options;
    read(() => parse(readPolicy(path), { file, operator, tools, ...place }, trusted));
  }
  const { text } = options;
  if (text !== undefined) read(() => parse(text, { file: "inline policy", operator: true, tools }));
  faults.throwAll();
  return { files, tools, sources };
}

type Use = Pick<PolicyInstance, "options" | "configFile">;

/**
 * The policies that all uses of one pool find in places. Nobody vouches for them, and `without` does not apply to them. Throws the
 * errors of {@link findPolicies}, and BYLAW_POLICY_MISSING if a use relies on finding some and there are none.
 */
export function loadFound(uses: readonly Use[], tools: ToolTable, places: Places): LoadedPolicy {
  const [first] = uses;
  const wide = uses.filter(({ options }) => options.discover === "all");
  const discover: Discover =
    wide.length > 0
      ? "all"
      : uses.some((use) => use.options.discover === "admin")
        ? "admin"
        : "none";
  if (first === undefined || discover === "none") return { files: [], tools, sources: [] };
  const base = baseOf(first.configFile);
  const workspaces = wide.map(({ options, configFile }) =>
    resolve(options.workspace ?? baseOf(configFile)),
  );
  const named = new Set(
    uses.flatMap((use) =>
      namedIn(use.options).map((name) => realPath(pathOf(name, baseOf(use.configFile)))),
    ),
  );
  const found = findPolicies(discover, workspaces, places);
  if (
    found.length === 0 &&
    wide.some(({ options }) => options.files === undefined && options.text === undefined)
  ) {
    throw new BylawError({
      code: "BYLAW_POLICY_MISSING",
      message: `No policies found in \`${join(workspaces[0] ?? base, ".bylaw")}\` or the other places`,
      fix: "Create `.bylaw/policy.toml`, or name files in the option `files`",
    });
  }
  const parse = parserOf(first.options);
  const files = found
    // A file in the workspace that is also named is read only as named, because the operator may vouch for it.
    .filter(({ path, place }) => place !== "workspace" || !named.has(realPath(path)))
    .map(({ path, text, place }) => {
      const workspace = workspaces.find((folder) => insideOf(path, folder));
      const inside =
        workspace === undefined || place === "admin"
          ? {}
          : { workspace, origin: join(workspace, "policy.toml") };
      return parse(text, {
        file: place === "workspace" ? shownOf(path, base) : path,
        tools,
        place,
        ...inside,
      });
    });
  return { files, tools, sources: found.flatMap(({ path }) => [path, realPath(path) ?? path]) };
}

const namedIn = ({ files, text, discover }: PolicyOptions): readonly string[] =>
  files ?? (text === undefined && discover !== "all" ? [".bylaw/policy.toml"] : []);

const baseOf = (configFile: string | undefined): string =>
  configFile === undefined ? process.cwd() : dirname(configFile);

function shownOf(path: string, base: string): string {
  const shown = relative(base, path);
  return shown === "" || shown.startsWith(`..${sep}`) || isAbsolute(shown) ? path : shown;
}

type Parse = (text: string, parsing: ParseOptions, forms?: readonly string[]) => PolicyFile;

function parserOf(options: PolicyOptions): Parse {
  const known = compiled.get(options) ?? new Map<string, { text: string; policy: PolicyFile }>();
  compiled.set(options, known);
  return (text, parsing, forms = []) => {
    const key = JSON.stringify([parsing.file, parsing.origin, parsing.workspace, parsing.place]);
    const before = known.get(key);
    if (before?.text === text) return before.policy;
    const policy = parsePolicy(text, {
      ...parsing,
      compiled: forms.flatMap((form) => readCompiledForm(form) ?? []),
    });
    known.set(key, { text, policy });
    return policy;
  };
}

// A file lies in a workspace if its path does, either as written or with the links in both paths resolved.
function insideOf(path: string, workspace: string): boolean {
  const inside = (file: string, folder: string): boolean =>
    file.startsWith(folder.endsWith(sep) ? folder : folder + sep);
  if (inside(path, workspace)) return true;
  const real = realPath(path) ?? path;
  const realWorkspace = realPath(workspace) ?? workspace;
  return inside(real, realWorkspace) || inside(path, realWorkspace);
}

function pathOf(name: string, base: string): string {
  if (!name.startsWith("file:")) return resolve(base, name);
  try {
    return fileURLToPath(name);
  } catch (cause) {
    throw new BylawError({
      code: "BYLAW_POLICY_MISSING",
      message: `\`${name}\` is not the URL of a file on this machine`,
      fix: "Write an absolute path",
      cause,
    });
  }
}

/**
 * One digest of everything by which the policies decide. Neither the order of the files nor their place counts, because one process may
 * read a ruleset from the project and another the copy in the program.
 */
export function digestOf(
  policies: readonly {
    readonly files: readonly PolicyFile[];
    readonly excludedRules: ReadonlySet<string>;
  }[],
): string {
  const parts = policies.flatMap(({ files, excludedRules }) =>
    files.map((file) =>
      JSON.stringify([
        file.text,
        file.rules.map(({ source }) => source.tier),
        [...excludedRules].sort(),
      ]),
    ),
  );
  const hash = createHash("sha256").update(JSON.stringify([...new Set(parts)].sort()));
  return `sha256:${hash.digest("hex")}`;
}

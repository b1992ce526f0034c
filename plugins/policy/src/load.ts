import { createHash } from "node:crypto";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { BylawError, type PluginInstance } from "@bylaw/kernel";
import { extendTools, parsePolicy, type ParseOptions, type PolicyFile, type ToolTable } from "@bylaw/policy-language";
import type { PolicyOptions } from "./options.ts";
import { readPolicy } from "./read.ts";
import { realPath } from "./real-paths.ts";

/** The files of one use of the plugin, read and compiled. */
export interface LoadedPolicy {
  readonly files: readonly PolicyFile[];
  readonly tools: ToolTable;
  /** Where the files and the configuration lie, by name and with links followed. */
  readonly sources: readonly string[];
}

// A text is compiled once for one use of the plugin, although the kernel asks for its rules more than once. The files
// are read every time, so that a new kernel never decides by an old text.
const compiled = new WeakMap<PolicyOptions, Map<string, { readonly text: string; readonly policy: PolicyFile }>>();

/** Reads and compiles the policies of one use. Throws PolicyError and the errors of {@link readPolicy}. */
export function loadPolicy({ options, configFile }: PluginInstance<PolicyOptions>): LoadedPolicy {
  const base = configFile === undefined ? process.cwd() : dirname(configFile);
  const tools = extendTools(options.tools);
  const workspace = resolve(options.workspace ?? base);
  const known = compiled.get(options) ?? new Map<string, { text: string; policy: PolicyFile }>();
  compiled.set(options, known);
  const parse = (text: string, parsing: ParseOptions): PolicyFile => {
    const key = JSON.stringify([parsing.file, parsing.origin, parsing.workspace]);
    const before = known.get(key);
    if (before?.text === text) return before.policy;
    const policy = parsePolicy(text, parsing);
    known.set(key, { text, policy });
    return policy;
  };
  const files: PolicyFile[] = [];
  const sources = configFile === undefined ? [] : [configFile, realPath(configFile) ?? configFile];
  for (const name of options.files ?? (options.text === undefined ? [".bylaw/policy.toml"] : [])) {
    const path = pathOf(name, base);
    sources.push(path, realPath(path) ?? path);
    const shown = relative(base, path);
    const file = shown === "" || shown.startsWith(`..${sep}`) || isAbsolute(shown) ? path : shown;
    const place = insideOf(path, workspace) ? { origin: join(workspace, file), workspace } : {};
    files.push(parse(readPolicy(path), { file, operator: options.operator, tools, ...place }));
  }
  if (options.text !== undefined) files.push(parse(options.text, { file: "inline policy", operator: true, tools }));
  return { files, tools, sources };
}

// A file lies in a workspace when it does by its name, or once the links in both names are followed.
function insideOf(path: string, workspace: string): boolean {
  const inside = (file: string, folder: string): boolean => file.startsWith(folder.endsWith(sep) ? folder : folder + sep);
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
      message: `Unexpected URL \`${name}\`, expected one of a file on this machine`,
      fix: "write an absolute path",
      cause,
    });
  }
}

/** What the policies decide by, as one digest that no order of files changes. */
export function digestOf(policies: readonly { readonly files: readonly PolicyFile[]; readonly dropped: ReadonlySet<string> }[]): string {
  const parts = policies.flatMap(({ files, dropped }) =>
    files.map((file) => JSON.stringify([file.file, file.text, file.rules.map(({ source }) => source.tier), [...dropped].sort()])),
  );
  const hash = createHash("sha256").update(JSON.stringify([...new Set(parts)].sort()));
  return `sha256:${hash.digest("hex")}`;
}

import { createHash } from "node:crypto";
import type { OutputBundle, OutputChunk, Plugin } from "rolldown";
import { parseSync } from "rolldown/experimental";

/** The file of the bundle that loads scripts. */
export const LOADER = "load-script.js";

type Parsed = ReturnType<typeof parseSync>;
type Import = Parsed["module"]["staticImports"][number];

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Turns all chunks except these entries into scripts, whose compiled code the command keeps (`src/load-script.ts`). A chunk that an
 * entry imports becomes a module that loads its script.
 */
export function scripts(entryNames: readonly string[]): Plugin {
  return {
    name: "scripts",
    generateBundle: {
      order: "post",
      handler(_, bundle) {
        const chunks = Object.values(bundle).filter((part) => part.type === "chunk");
        const entries = chunks.filter(({ fileName }) => entryNames.includes(nameOf(fileName)));
        const names = new Set(
          chunks.filter((one) => !entries.includes(one)).map(({ fileName }) => nameOf(fileName)),
        );
        checkOrder(chunks, bundle);
        const wanted = importsOf(entries);
        for (const chunk of chunks) {
          const { fileName, code } = chunk;
          const name = nameOf(fileName);
          if (!names.has(name)) {
            chunk.code = entryOf(code, names);
            continue;
          }
          this.emitFile({
            type: "asset",
            fileName: `${name}.script`,
            source: scriptOf(code, names),
          });
          const taken = wanted.get(`./${fileName}`);
          if (taken === undefined) delete bundle[fileName];
          else chunk.code = moduleOf(name, [...taken]);
        }
      },
    },
  };
}

const nameOf = (file: string): string => file.replace(/\.js$/, "");

/** The script that a specifier names. */
function scriptIn(specifier: string, scripts: ReadonlySet<string>): string | undefined {
  const [, name = ""] = /^\.\/(.*)\.js$/.exec(specifier) ?? [];
  return scripts.has(name) ? name : undefined;
}

// A script can use another only once that one has run, so two cannot import each other.
function checkOrder(chunks: readonly OutputChunk[], bundle: OutputBundle): void {
  const done = new Set<string>();
  const visit = ({ fileName, imports }: OutputChunk, from: readonly string[]): void => {
    if (done.has(fileName)) return;
    const path = [...from, fileName];
    if (from.includes(fileName)) throw new Error(`Imports in a circle: ${path.join(", ")}`);
    for (const file of imports) {
      const imported = bundle[file];
      if (imported?.type === "chunk") visit(imported, path);
    }
    done.add(fileName);
  };
  for (const chunk of chunks) visit(chunk, []);
}

/** The names that these chunks import from each module. */
function importsOf(chunks: readonly OutputChunk[]): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  const add = (module: string, name: string | null): void => {
    const names = found.get(module) ?? new Set();
    found.set(module, name === null ? names : names.add(name));
  };
  for (const { code } of chunks) {
    const { staticImports, staticExports } = parseSync("chunk.js", code).module;
    for (const { moduleRequest, entries } of staticImports) {
      add(moduleRequest.value, null);
      for (const { importName } of entries) add(moduleRequest.value, importName.name);
    }
    for (const { moduleRequest, importName } of staticExports.flatMap(({ entries }) => entries))
      if (moduleRequest !== null) add(moduleRequest.value, importName.name);
  }
  return found;
}

/** Makes an entry load a script directly where it had `import()`, because Node takes long to link a module with hundreds of exports. */
function entryOf(code: string, scripts: ReadonlySet<string>): string {
  return edited(code.replaceAll(`from"${LOADER}"`, `from"./${LOADER}"`), ({ module }, text) =>
    module.dynamicImports.flatMap(({ start, end, moduleRequest }) => {
      const name = scriptIn(text.slice(moduleRequest.start + 1, moduleRequest.end - 1), scripts);
      if (name === undefined) return [];
      const load = `import("./${LOADER}").then(({loadScript})=>loadScript("${name}"))`;
      return [{ start, end, text: load }];
    }),
  );
}

/** A module with the exports of a script. An export may have a name that no variable can have, such as `in`. */
function moduleOf(name: string, exports: readonly string[]): string {
  const taken = exports.map((one, at) => `${one}:x${at}`).join();
  const given = exports.map((one, at) => `x${at} as ${one}`).join();
  return `import{loadScript}from"./${LOADER}";const{${taken}}=loadScript("${name}");export{${given}};`;
}

/** Turns a module into a function that takes what the module needs, and returns what it exports. */
function scriptOf(code: string, scripts: ReadonlySet<string>): string {
  let returned = "";
  const body = edited(code, (parsed, text) => {
    returned = exportsOf(parsed, scripts);
    const { importMetas, staticImports, dynamicImports } = parsed.module;
    return [
      ...importMetas.map(({ start, end }) => {
        if (!text.startsWith(".url", end)) throw new Error(`Not a URL: ${text.slice(start, end)}`);
        return { start, end: end + ".url".length, text: "$url" };
      }),
      ...staticImports.map((one) => ({ ...one, text: requireOf(one, scripts) })),
      ...dynamicImports.map(({ start, end, moduleRequest }) => {
        const name = scriptIn(text.slice(moduleRequest.start + 1, moduleRequest.end - 1), scripts);
        return name === undefined
          ? { start, end: start + "import".length, text: "$import" }
          : { start, end, text: `Promise.resolve().then(()=>$load("${name}"))` };
      }),
      ...parsed.program.body.flatMap((part): Edit[] => {
        const { type, start, end } = part;
        if (type === "ExportNamedDeclaration") return [{ start, end, text: "" }];
        if (type !== "ExportDefaultDeclaration") return [];
        return [{ start, end: part.declaration.start, text: "const $default=" }];
      }),
    ];
  });
  const text = `(function($load,$require,$import,$url){"use strict";${plain(body)}\nreturn{${returned}}})`;
  const digest = createHash("sha256").update(text).digest("hex").slice(0, 16);
  return `/*${digest}*/${text}`;
}

// The loader reads one byte as one character. V8 also needs twice the memory for a text with any character outside ASCII.
const plain = (code: string): string =>
  code.replaceAll(
    /[^\0-\x7f]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** The properties of the exports. */
function exportsOf({ module }: Parsed, scripts: ReadonlySet<string>): string {
  return module.staticExports
    .flatMap(({ entries }) => entries)
    .map(({ exportName: { kind, name }, localName, importName, moduleRequest }) => {
      if (moduleRequest !== null && importName.name !== null)
        return `${name}:${moduleNamed(moduleRequest.value, scripts)}.${importName.name}`;
      if (localName.name !== null) return `${name}:${localName.name}`;
      if (kind !== "Default") throw new Error(`Cannot tell what the export ${name ?? "*"} is`);
      return "default:$default";
    })
    .join();
}

function requireOf({ moduleRequest, entries }: Import, scripts: ReadonlySet<string>): string {
  const { value } = moduleRequest;
  const module = moduleNamed(value, scripts);
  const taken: string[] = [];
  const whole: string[] = [];
  for (const { importName, localName } of entries) {
    const { kind, name } = importName;
    // The default export of what is not bundled, a module of Node or CommonJS, is the module itself.
    const isOutside = scriptIn(value, scripts) === undefined;
    if (kind === "NamespaceObject" || (kind === "Default" && isOutside))
      whole.push(`${localName.value}=${module}`);
    else taken.push(`${name ?? "default"}:${localName.value}`);
  }
  if (taken.length > 0) whole.push(`{${taken.join()}}=${module}`);
  return whole.length === 0 ? `${module};` : `const ${whole.join()};`;
}

/** The expression for the exports of a module in a script. */
function moduleNamed(specifier: string, scripts: ReadonlySet<string>): string {
  if (specifier === LOADER) return "{loadScript:$load}";
  const name = scriptIn(specifier, scripts);
  return name === undefined ? `$require("${specifier}")` : `$load("${name}")`;
}

function edited(code: string, edits: (parsed: Parsed, code: string) => readonly Edit[]): string {
  const parsed = parseSync("chunk.js", code);
  return edits(parsed, code)
    .toSorted((a, b) => b.start - a.start)
    .reduce(
      (text, { start, end, text: put }) => text.slice(0, start) + put + text.slice(end),
      code,
    );
}

import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { gzipSync } from "node:zlib";
import type { Plugin } from "rolldown";
import { manifestIn, packageOf } from "./manifest.ts";
import { LOADER } from "./scripts.ts";

/**
 * Files that packages load from their own folder. The build copies them to `dist/packages`, at the same path as in the package. It
 * compresses one that the package has without its `.gz`.
 */
const FILES: Readonly<Record<string, readonly string[]>> = {
  "@bylaw/ruleset-recommended": ["policy.toml", "cases.jsonl.gz", "dist/policy.compiled.json"],
  "@bylaw/ruleset-everyday": ["policy.toml", "cases.jsonl.gz", "dist/policy.compiled.json"],
  "@bylaw/hook-client": ["dist/hook-client.cjs", "src/hook-client.sh"],
  "@bylaw/orchestrator": [
    ...["swagger-ui.css.br", "swagger-ui-bundle.js.br"],
    ...["swagger-ui-bundle.js.LICENSE.txt", "LICENSE", "NOTICE"],
  ].map((file) => `dist/reference/${file}`),
  "@bylaw/dashboard": [
    ...["index.html.gz", "page.css.gz", "page.js.gz", "chart.js.gz", "THIRD-PARTY-LICENSES.txt"],
  ].map((file) => `dist/page/${file}`),
  "create-bylaw": [
    ...["README.md", "_gitignore", "cases.jsonl", "index.d.ts", "index.js", "manifest.json"].map(
      (file) => `templates/ruleset/${file}`,
    ),
    "templates/ruleset/policy.toml",
  ],
};

const OWN = "own:";

/**
 * One entry for each package: a file that only re-exports it. If the package were the entry, the command would load that extra file
 * at each start.
 */
export const entriesOf = (names: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map((name) => [`own-${basename(name)}`, `${OWN}${name}`]));

const NODE_MODULES = join(import.meta.dirname, "../../../node_modules");
const ANSWERS = join(import.meta.dirname, "../src/io/own-packages.ts");

/** Makes the bundled packages find their files, and each other, in this bundle. */
export function ownPackages(): Plugin {
  const answers = `
    export const entryOf = (name) => new URL("./own-" + name.replace(/.*\\//, "") + ".js", import.meta.url).href;
    export const fileOf = (name, path) => new URL("./packages/" + name + "/" + path, import.meta.url);`;
  return {
    name: "own-packages",
    resolveId: (id) => (id.startsWith(OWN) ? id : null),
    load(id) {
      if (id.startsWith(OWN)) return `export * from ${JSON.stringify(id.slice(OWN.length))};`;
      return id === ANSWERS ? answers : null;
    },
    transform: {
      filter: {
        id: /\/(?:packages|plugins|rulesets)\/(?!cli\/)[^/]+\/dist\//,
        code: /import\.meta/,
      },
      handler(code, id) {
        const folder = packageOf(id);
        const name = manifestIn(folder).name ?? "";
        const placed = code
          .replaceAll(/new URL\("([^"]+)", import\.meta\.url\)/g, (_, path: string) => {
            // `relative` drops the slash at the end of a folder.
            const at = relative(folder, join(dirname(id), path));
            return `new URL("./packages/${name}/${at}${path.endsWith("/") ? "/" : ""}", import.meta.url)`;
          })
          .replaceAll("import.meta.resolve(", "entryOfOwn(");
        return placed.includes("entryOfOwn(")
          ? `import { entryOf as entryOfOwn } from ${JSON.stringify(ANSWERS)};\n${placed}`
          : placed;
      },
    },
    generateBundle() {
      for (const [name, files] of Object.entries(FILES))
        for (const file of files) {
          const from = join(NODE_MODULES, name, file);
          const source = existsSync(from)
            ? readFileSync(from)
            : gzipSync(shortened(from.replace(/\.gz$/, "")), { level: 9 });
          this.emitFile({ type: "asset", fileName: `packages/${name}/${file}`, source });
        }
    },
  };
}

// `bylaw suggest` only reads cases that a new allow could change, and names them by their lines.
function shortened(file: string): string | Uint8Array {
  if (basename(file) !== "cases.jsonl") return readFileSync(file);
  const cases = readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  return cases
    .filter(({ must }) => must !== "allow")
    .map(({ id: _, ...one }) => `${JSON.stringify(one)}\n`)
    .join("");
}

/** The libraries that the policy language loads when a policy needs them, and the source of the module that exports each one. */
const LIBRARIES = {
  ignore: 'import library from "ignore"; export default library;',
  micromatch: 'import library from "micromatch"; export default library;',
  re2js: 'export * from "re2js";',
} as const;

/** Puts each of these libraries into its own file. */
export function librariesLater(): Plugin {
  const LATER = "library:";
  const importer = join(NODE_MODULES, "@bylaw/policy-language/package.json");
  return {
    name: "libraries-later",
    resolveId(id, from, options) {
      if (id.startsWith(LATER)) return id;
      return from?.startsWith(LATER) === true ? this.resolve(id, importer, options) : null;
    },
    load: (id) =>
      id.startsWith(LATER) ? LIBRARIES[id.slice(LATER.length) as keyof typeof LIBRARIES] : null,
    transform: {
      filter: { id: /\/policy-language\/dist\/match\/lazy-modules\.js$/ },
      handler(code) {
        for (const library of Object.keys(LIBRARIES))
          this.emitFile({
            type: "chunk",
            id: `${LATER}${library}`,
            fileName: `library-${library}.js`,
          });
        const placed = code
          .replace('load("ignore")', 'loadScript("library-ignore").default')
          .replace('load("micromatch")', 'loadScript("library-micromatch").default')
          .replace('load("re2js")', 'loadScript("library-re2js")');
        if (placed.includes('load("'))
          throw new Error("A library of the policy language is missing");
        return `import { loadScript } from "${LOADER}";\n${placed}`;
      },
    },
  };
}

import { basename } from "node:path";
import { defineConfig, type Plugin } from "rolldown";
import { notices } from "./build/notices.ts";
import { entriesOf, librariesLater, ownPackages } from "./build/own-packages.ts";
import { LOADER, scripts } from "./build/scripts.ts";
import { OWN_PACKAGES } from "./src/io/own-package-names.ts";

// One bundle starts faster than hundreds of small files: docs/decisions/0008-the-command-in-few-files.md. `cleanDir` also removes
// the output of `tsc`, which is slower but otherwise the same. Minifying halves what Node reads at each start. Stack traces need
// the names of functions and classes.
const minify = {
  compress: { keepNames: { function: true, class: true } },
  mangle: { keepNames: { function: true, class: true } },
  codegen: true,
} as const;

/**
 * Modules that most calls do not need, by the ends of their paths. Their exports must be functions, schemas, or tables that are
 * read one entry at a time.
 */
const LATER = [
  "/unbash/dist/parser.js",
  "/policy-language/dist/load/parse-text.js",
  ...[
    "condition/condition",
    "compile/compile-when",
    "explain/nearest-rule",
    "explain/rule-reports",
  ].map((name) => `/policy-language/dist/${name}.js`),
  ...["workspace-edits", "patch"].map((name) => `/policy-language/dist/paths/${name}.js`),
  "/wording/dist/issues.js",
  "/wording/dist/nearest.js",
  "/plugins/policy/dist/asked-projections.js",
  "/cli/src/decide/batch.ts",
  "/plugins/policy/dist/options.js",
  "/shell/dist/analyze-script.js",
  "/shell/dist/programs/equivalents.js",
  "/shell/dist/programs/harmless-options.js",
  ...[
    ..."archives checkers clouds containers files git interpreters network packages".split(" "),
    ..."search shells system text wrappers".split(" "),
  ].map((table) => `/shell/dist/programs/${table}.js`),
];

const nameOf = (file: string): string =>
  file.includes("/node_modules/unbash/") ? "unbash" : basename(file).replace(/\.[jt]s$/, "");

const input = {
  bin: "src/bin.ts",
  "engine-thread": "src/hosts/engine-thread.ts",
  ...entriesOf(OWN_PACKAGES.filter((name) => name !== "zod")),
};

const command = defineConfig({
  input,
  platform: "node",
  external: [
    LOADER,
    // `jiti` loads a compiler from its own folder; `better-sqlite3` loads native code.
    ...["jiti", "better-sqlite3"],
    // Users install these only if they need them.
    ...["@dbos-inc/dbos-sdk", "@restatedev/restate-sdk", "@slack/web-api", "pg-native"],
  ],
  plugins: [
    loadedLater(),
    ownPackages(),
    librariesLater(),
    englishAlone(),
    modulesOfNode(),
    standsAlone(),
    notices(),
    scripts(Object.keys(input)),
  ],
  output: {
    minify,
    dir: "dist",
    cleanDir: true,
    entryFileNames: "[name].js",
    chunkFileNames: "[name].js",
    codeSplitting: {
      groups: [
        {
          name: "check",
          test: /rolldown\/runtime|\/(?:cli\/src\/(?:main|commands\/(?:check|hook))\.ts|(?:plugins\/policy|rulesets\/(?:everyday|recommended))\/dist\/index\.js|config\/dist\/(?:data-config|packages)\.js|shell\/dist\/programs\/to-target\.js)$/,
        },
      ],
    },
  },
});

// zod is built apart: the command needs only a small part of it, and only configurations need the rest. Its own names are no help to
// whoever reads a stack trace.
const library = defineConfig({
  input: entriesOf(["zod"]),
  platform: "node",
  plugins: [ownPackages(), englishAlone()],
  output: { minify: true, dir: "dist" },
});

const loader = defineConfig({
  input: { "load-script": "src/load-script.ts" },
  platform: "node",
  output: { minify, dir: "dist" },
});

export default [command, library, loader];

/**
 * Puts each of these modules into its own file and loads it when one of its exports is first used. The source imports them as usual. They
 * become scripts, because synchronous code cannot wait for `import()`.
 */
function loadedLater(): Plugin {
  const prefix = "\0later:";
  const files = new Map<string, string>();
  return {
    name: "loaded-later",
    async resolveId(source, importer, options) {
      if (importer === undefined) return null;
      const found = await this.resolve(source, importer, { ...options, skipSelf: true });
      if (found === null || !LATER.some((end) => found.id.endsWith(end))) return found;
      const name = nameOf(found.id);
      this.emitFile({ type: "chunk", id: found.id, fileName: `${name}.js` });
      // Only the name: a file of the bundle may be called by the id, and the path is one of this machine.
      files.set(prefix + name, found.id);
      return prefix + name;
    },
    async load(id) {
      const file = files.get(id);
      if (file === undefined) return null;
      const exports = Object.entries((await import(file)) as Record<string, unknown>);
      return `import { loadScript } from "${LOADER}";
        const later = () => loadScript("${nameOf(file)}");
        const entries = (name, keys) =>
          new Proxy(Object.fromEntries(keys.map((key) => [key])), {
            get: (known, key) => (Object.hasOwn(known, key) ? later()[name][key] : undefined),
          });
        ${exports.map(([name, value]) => standIn(name, value)).join("\n")}`;
    },
  };
}

// Any other export is left out, so that the build fails if something imports it.
function standIn(name: string, value: unknown): string {
  if (typeof value === "function")
    return `export const ${name} = (...given) => later().${name}(...given);`;
  // A schema.
  if (typeof value === "object" && value !== null && "safeParse" in value)
    return `export const ${name} = { safeParse: (given) => later().${name}.safeParse(given) };`;
  if (typeof value !== "object" || value === null) return "";
  if (Object.getPrototypeOf(value) !== Object.prototype) return "";
  return `export const ${name} = entries("${name}", "${Object.keys(value).join(" ")}".split(" "));`;
}

/**
 * Replaces imports of Node's own modules, because `import` reads all their exports and thereby loads streams and web cryptography.
 * Few calls compute a hash, so cryptography is loaded on first use.
 */
function modulesOfNode(): Plugin {
  const take = (names: string, module: string): string =>
    module === "node:crypto"
      ? names.replaceAll(
          /(\w+),?/g,
          `const $1 = (...given) => process.getBuiltinModule("${module}").$1(...given);`,
        )
      : `const {${names.replaceAll(" as ", ": ")}} = process.getBuiltinModule("${module}");`;
  return {
    name: "modules-of-node",
    renderChunk: (code, { name }) =>
      name === "check"
        ? code.replaceAll(
            /^import \{([^}]*)\} from "(node:[^"]+)";/gm,
            (_, names: string, module: string) => take(names, module),
          )
        : null,
  };
}

/**
 * Leaves out zod's messages in other languages. The command words its own messages, and a configuration that needs another language
 * installs zod itself.
 */
function englishAlone(): Plugin {
  return {
    name: "english-alone",
    load: {
      filter: { id: /\/zod\/v4\/locales\/index\.js$/ },
      handler: () => 'export { default as en } from "./en.js";',
    },
  };
}

/** Removes the import of the bundler's runtime from `bin.js`, which does not use it and must run on any version of Node. */
function standsAlone(): Plugin {
  return {
    name: "stands-alone",
    generateBundle(_, bundle) {
      const first = bundle["bin.js"];
      if (first?.type === "chunk")
        first.code = first.code.replace('import"./rolldown-runtime.js";', "");
    },
  };
}

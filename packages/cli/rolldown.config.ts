import { basename } from "node:path";
import { defineConfig, type Plugin } from "rolldown";
import { notices } from "./build/notices.ts";
import { entriesOf, librariesLater, ownPackages } from "./build/own-packages.ts";
import { OWN_PACKAGES } from "./src/io/own-package-names.ts";

// Loading hundreds of small files took longer than all the rest: docs/decisions/0008-the-command-in-few-files.md.
// `cleanDir` also takes away what `tsc` wrote before, which runs as well as this, only slower.
// There is half as much to read at every start. Names of functions and classes stay, for they stand in traces.
const minify = {
  compress: { keepNames: { function: true, class: true } },
  mangle: { keepNames: { function: true, class: true } },
  codegen: true,
} as const;

const command = defineConfig({
  input: {
    bin: "src/bin.ts",
    "engine-thread": "src/hosts/engine-thread.ts",
    ...entriesOf(OWN_PACKAGES.filter((name) => name !== "zod")),
  },
  platform: "node",
  external: [
    // The first loads a compiler of its own beside itself, the second native code.
    ...["jiti", "better-sqlite3"],
    // What only their users install.
    ...["@dbos-inc/dbos-sdk", "@restatedev/restate-sdk", "pg-native"],
  ],
  plugins: [
    loadedLater(),
    ownPackages(),
    librariesLater(),
    englishAlone(),
    modulesOfNode(),
    plainText(),
    standsAlone(),
    notices(),
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
          test: /rolldown\/runtime|\/(?:cli\/src\/(?:main|commands\/check)\.ts|(?:plugins\/policy|rulesets\/(?:everyday|recommended))\/dist\/index\.js|config\/dist\/(?:data-config|packages)\.js)$/,
        },
      ],
    },
  },
});

// Built apart: every call reads the little of it that the command uses, and only configurations use the rest.
const library = defineConfig({
  input: entriesOf(["zod"]),
  platform: "node",
  plugins: [ownPackages(), englishAlone(), plainText()],
  output: { minify, dir: "dist" },
});

export default [command, library];

/**
 * Modules that one call seldom needs, by the ends of their paths. What others take from them are functions, and tables of which they
 * take one entry at a time.
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

/**
 * Makes files of their own of these modules, which the source imports as usual, and reads them when one of their functions is called.
 * Code that answers at once cannot wait for `import()`, so they are required, which Node does with the modules that are there already.
 */
function loadedLater(): Plugin {
  const prefix = "\0later:";
  return {
    name: "loaded-later",
    async resolveId(source, importer, options) {
      if (importer === undefined) return null;
      const found = await this.resolve(source, importer, { ...options, skipSelf: true });
      if (found === null || !LATER.some((end) => found.id.endsWith(end))) return found;
      this.emitFile({ type: "chunk", id: found.id, fileName: `${nameOf(found.id)}.js` });
      // Encoded, so that other plugins do not take it for the module itself.
      return prefix + encodeURIComponent(found.id);
    },
    async load(id) {
      if (!id.startsWith(prefix)) return null;
      const file = decodeURIComponent(id.slice(prefix.length));
      const exports = Object.entries((await import(file)) as Record<string, unknown>);
      return `import { createRequire } from "node:module";
        let loaded;
        const later = () => (loaded ??= createRequire(import.meta.url)("./${nameOf(file)}.js"));
        const entries = (name, keys) =>
          new Proxy(Object.fromEntries(keys.map((key) => [key])), {
            get: (known, key) => (Object.hasOwn(known, key) ? later()[name][key] : undefined),
          });
        ${exports.map(([name, value]) => standIn(name, value)).join("\n")}`;
    },
  };
}

const nameOf = (file: string): string =>
  file.includes("/node_modules/unbash/") ? "unbash" : basename(file).replace(/\.[jt]s$/, "");

// What is neither is left out, so that the build fails where somebody takes it.
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
 * Takes modules of Node's own without `import`, which reads all their exports and so loads streams and web cryptography. Few calls
 * hash anything, so cryptography is loaded by the first that does.
 */
function modulesOfNode(): Plugin {
  const take = (names: string, module: string): string =>
    module === "node:crypto"
      ? names.replaceAll(
          /\w+/g,
          (name) =>
            `const ${name} = (...given) => process.getBuiltinModule("${module}").${name}(...given);`,
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

/** Leaves out what zod says in fifty other languages. The command words its messages itself, and who wants them installs zod. */
function englishAlone(): Plugin {
  return {
    name: "english-alone",
    load: {
      filter: { id: /\/zod\/v4\/locales\/index\.js$/ },
      handler: () => 'export { default as en } from "./en.js";',
    },
  };
}

/** Escapes what is not ASCII: one such character makes a text of the whole file that takes twice the memory and is read more slowly. */
function plainText(): Plugin {
  return {
    name: "plain-text",
    renderChunk: (code) =>
      code.replaceAll(
        /[^\0-\x7f]/g,
        (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
      ),
  };
}

/** Takes the import of what bundled code has in common out of the first file, which uses none of it and has to run anywhere. */
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

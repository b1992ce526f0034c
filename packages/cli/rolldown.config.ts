import { existsSync, readFileSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { defineConfig, type Plugin } from "rolldown";

// Loading hundreds of small files took longer than all the rest: docs/decisions/0008-the-command-in-few-files.md.
// `cleanDir` also takes away what `tsc` wrote before, which runs as well as this, only slower.
export default defineConfig({
  input: { bin: "src/bin.ts", "engine-thread": "src/hosts/engine-thread.ts" },
  platform: "node",
  // The first loads a compiler of its own beside itself, the others native code, a driver and a server that few commands need.
  external: [
    ...[
      "jiti",
      "@bylaw/store-sqlite",
      "@bylaw/store-postgres",
      "@bylaw/plugin-event-log",
      "@bylaw/orchestrator",
    ],
    // These load what only their users install.
    ...["@bylaw/runner/dbos", "@bylaw/runner/restate"],
  ],
  plugins: [
    loadedLater(),
    placesOfPackages(),
    modulesOfNode(),
    plainText(),
    standsAlone(),
    notices(),
  ],
  // There is half as much to read at every start. Names of functions and classes stay, for they stand in traces.
  output: {
    minify: {
      compress: { keepNames: { function: true, class: true } },
      mangle: { keepNames: { function: true, class: true } },
      codegen: true,
    },
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

interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
}

const manifestIn = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;

/** The folder of the package that a file belongs to. */
function packageOf(file: string): string {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json")) && manifestIn(folder).name !== undefined)
      return folder;
  }
  throw new Error(`\`${file}\` belongs to no package`);
}

/** What one of our packages looks for beside itself, it finds where it is installed and not beside this build. */
function placesOfPackages(): Plugin {
  return {
    name: "places-of-packages",
    transform: {
      filter: {
        id: /\/(?:packages|plugins|rulesets)\/(?!cli\/)[^/]+\/dist\//,
        code: "import.meta.url",
      },
      handler: (code, id) =>
        code.replaceAll(
          "import.meta.url",
          `import.meta.resolve("${manifestIn(packageOf(id)).name ?? ""}")`,
        ),
    },
  };
}

/** Puts the licences of what the build contains of others beside it. */
function notices(): Plugin {
  return {
    name: "notices",
    generateBundle(_, bundle) {
      const files = Object.values(bundle).flatMap((part) =>
        part.type === "chunk" ? part.moduleIds : [],
      );
      const folders = new Set(
        files.filter((file) => file.includes("/node_modules/")).map(packageOf),
      );
      const texts = [...folders].toSorted().map((folder) => {
        const { name = "", version = "", license = "" } = manifestIn(folder);
        const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
        if (file === undefined)
          throw new Error(`${name} comes without the text of its licence, which must be passed on`);
        return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
      });
      this.emitFile({
        type: "asset",
        fileName: "THIRD-PARTY-LICENSES.txt",
        source: texts.join(`\n${"-".repeat(80)}\n\n`),
      });
    },
  };
}

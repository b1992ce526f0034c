import { expect, test } from "vitest";
import { createConfiguredKernel, type BuiltInPackages } from "../src/index.ts";
import { PACKAGES, WORDS, project } from "./project.ts";

const NAMES = ["acme-words", "acme-rules"] as const;
const CONFIG = { "bylaw.config.json": '{"extends": ["acme-rules"]}' };

const manifest = (name: string, version: string): string =>
  JSON.stringify({
    ...{ name, version, type: "module" },
    exports: { ".": "./i.js", "./package.json": "./package.json" },
  });
const installed = (version = "1.0.0"): Readonly<Record<string, string>> =>
  Object.fromEntries(
    NAMES.map((name) => [`node_modules/${name}/package.json`, manifest(name, version)]),
  );

/** A program with built-in packages. Its plugin has another version, which shows where it was loaded from. */
function program(): BuiltInPackages {
  const built = project({}, { ...PACKAGES, "acme-words": WORDS.replace("1.2.3", "built-in") });
  return Object.fromEntries(
    NAMES.map((name) => [
      name,
      {
        version: "1.0.0",
        dependencies: name === "acme-rules" ? { "acme-words": "1.0.0" } : {},
        load: async () =>
          (await import(`${built}/node_modules/${name}/i.js`)) as Record<string, unknown>,
      },
    ]),
  );
}

async function versionsIn(root: string, contained: BuiltInPackages): Promise<readonly string[]> {
  const { report } = await createConfiguredKernel({ cwd: root, contained });
  return report.map(({ version }) => version);
}

test("packages that are built into the program are not loaded from the project", async () => {
  const root = project({ ...CONFIG, ...installed() }, PACKAGES);
  expect(await versionsIn(root, program())).toEqual(["built-in"]);
});

test("a project without these packages gets those of the program", async () => {
  expect(await versionsIn(project(CONFIG), program())).toEqual(["built-in"]);
});

test("added plugins are loaded from the configuration's own copy", async () => {
  const root = project({ ...CONFIG, ...installed() }, PACKAGES);
  const { kernel } = await createConfiguredKernel({
    cwd: root,
    contained: program(),
    add: async (_file, _config, load) => {
      const { words } = await load("acme-words");
      return [(words as (options: object) => never)({ tools: ["added"] })];
    },
  });
  expect(kernel.plugins.map(({ instances }) => instances.length)).toEqual([2]);
});

test.each([
  ["in another version", installed("1.0.1"), ""],
  ["in one other version among the same", { ...installed(), ...one("acme-words", "2.0.0") }, ""],
  ["that cannot be asked for its version", {}, ""],
  ["beside one that the program lacks", installed(), "acme-rules"],
])("a project has its own package %s", async (_, files, without) => {
  const root = project({ ...CONFIG, ...files }, PACKAGES);
  const { [without]: _left, ...contained } = program();
  expect(await versionsIn(root, contained)).toEqual(["1.2.3"]);
});

test("another version of a package that the configuration does not use changes nothing", async () => {
  const files = { ...installed(), ...one("acme-rules", "2.0.0") };
  const config = { "bylaw.config.json": '{"plugins": ["acme-words"]}' };
  const root = project({ ...config, ...files }, PACKAGES);
  expect(await versionsIn(root, program())).toEqual(["built-in"]);
});

test("a configuration that is code imports from its project", async () => {
  const text = 'import { rules } from "acme-rules"; export default { extends: [rules] };';
  const root = project({ "bylaw.config.mjs": text, ...installed() }, PACKAGES);
  expect(await versionsIn(root, program())).toEqual(["1.2.3"]);
});

function one(name: string, version: string): Readonly<Record<string, string>> {
  return { [`node_modules/${name}/package.json`]: manifest(name, version) };
}

import { builtinModules } from "node:module";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  filesAt,
  importsOf,
  packageOf,
  rootManifest,
  testWorkspace,
  workspaces,
  type Import,
  type Workspace,
} from "./workspaces.ts";

const isRelative = ({ specifier }: Import): boolean => specifier.startsWith(".");
const isBuiltin = ({ specifier }: Import): boolean =>
  specifier.startsWith("node:") || builtinModules.includes(packageOf(specifier));
// A loader of configurations and plugins imports what its caller names.
const isComputed = ({ specifier }: Import): boolean => specifier === "*";
const show = ({ file, specifier }: Import): string => `${file} imports ${specifier}`;

function declared(
  { manifest }: Workspace,
  { tests }: { readonly tests: boolean },
): ReadonlySet<string> {
  const shipped = [manifest.dependencies, manifest.peerDependencies, manifest.optionalDependencies];
  const fields = tests
    ? [...shipped, manifest.devDependencies, rootManifest.devDependencies]
    : shipped;
  return new Set(fields.flatMap((field) => Object.keys(field ?? {})));
}

const strayOf = (imports: readonly Import[], known: ReadonlySet<string>): readonly Import[] =>
  imports.filter(
    (one) =>
      !isRelative(one) &&
      !isBuiltin(one) &&
      !isComputed(one) &&
      !known.has(packageOf(one.specifier)),
  );

describe.each(workspaces.map((workspace) => [workspace.folder, workspace] as const))(
  "%s",
  (folder, workspace) => {
    const shipped = filesAt("{src,contract}/**/*.ts", folder).flatMap(importsOf);
    const tests = [...filesAt("test/**/*.ts", folder), ...filesAt("*.ts", folder)]
      .filter((file) => !file.includes("/fixtures/"))
      .flatMap(importsOf);

    it("ships no import that its manifest lacks", () => {
      // The command bundles what it imports, except its dependencies.
      const known = declared(workspace, { tests: folder === "packages/cli" });
      expect(strayOf(shipped, known).map(show)).toEqual([]);
    });

    it("tests with no import that both its manifest and the root's lack", () => {
      const known = declared(workspace, { tests: true });
      expect(strayOf(tests, known).map(show)).toEqual([]);
    });

    it("has no relative import that leaves its folder", () => {
      const astray = [...shipped, ...tests]
        .filter(isRelative)
        .filter(
          ({ file, specifier }) =>
            !join(dirname(file), specifier).replaceAll("\\", "/").startsWith(`${folder}/`),
        );
      expect(astray.map(show)).toEqual([]);
    });

    it("imports its own files with their extension", () => {
      const bare = [...shipped, ...tests].filter(
        (one) => isRelative(one) && !/\.(ts|json)$/.test(one.specifier),
      );
      expect(bare.map(show)).toEqual([]);
    });
  },
);

describe("the repository", () => {
  const everywhere = [...workspaces, testWorkspace].flatMap(({ folder }) =>
    filesAt("**/*.ts", folder).filter((file) => !file.includes("/fixtures/")),
  );
  const imports = [...everywhere, ...filesAt("tools/*.ts")].flatMap(importsOf);

  it("imports its packages by name only", () => {
    const entries = new Set(
      [...workspaces, testWorkspace].flatMap(({ manifest }) =>
        [".", ...Object.keys(manifest.exports ?? {})].map(
          (path) => `${manifest.name}${path.slice(1)}`,
        ),
      ),
    );
    const deep = imports.filter(
      ({ specifier }) => specifier.startsWith("@bylaw/") && !entries.has(specifier),
    );
    expect(deep.map(show)).toEqual([]);
  });

  it("names Node's own modules with `node:`", () => {
    expect(
      imports.filter((one) => isBuiltin(one) && !one.specifier.startsWith("node:")).map(show),
    ).toEqual([]);
  });
});

describe("the kernel", () => {
  const imports = filesAt("packages/kernel/{src,contract}/**/*.ts").flatMap(importsOf);

  it("imports no Node module", () => {
    expect(imports.filter(isBuiltin).map(show)).toEqual([]);
  });

  it("imports tapable in hook-runner.ts alone", () => {
    const files = imports
      .filter(({ specifier }) => packageOf(specifier) === "tapable")
      .map(({ file }) => file);
    expect(files).toEqual(["packages/kernel/src/hook-runner.ts"]);
  });
});

it("the kernel, plugins and rulesets load only what a literal names", () => {
  const imports = filesAt("{packages/kernel,plugins/*,rulesets/*}/{src,contract}/**/*.ts").flatMap(
    importsOf,
  );
  expect(imports.filter(isComputed).map(show)).toEqual([]);
});

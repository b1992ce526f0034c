import { basename, join } from "node:path";
import { parseSync } from "oxc-parser";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { describe, expect, it } from "vitest";
import { filesAt, publishable, root, textOf, workspaces } from "./workspaces.ts";

const NAMES: Readonly<Record<string, (folder: string) => string>> = {
  // `npm create bylaw` looks for a package without a scope.
  packages: (folder) => (folder === "create-bylaw" ? folder : `@bylaw/${folder}`),
  plugins: (folder) => `@bylaw/plugin-${folder}`,
  rulesets: (folder) => `@bylaw/ruleset-${folder}`,
};

// Separate entries for what reads the disk, and for what needs little of the package.
const SECOND_ENTRIES: Readonly<Record<string, readonly string[]>> = {
  "packages/host": ["./events"],
  "packages/host-mcp": ["./events", "./local-server", "./proxy"],
  "packages/log": ["./allowed-by-rule", "./experiment"],
  "packages/orchestrator": ["./approvals", "./events", "./message-events", "./notify"],
  "packages/policy-language": ["./condition", "./real-paths"],
  "packages/runner": ["./dbos", "./restate"],
  "packages/sdk": ["./node"],
};

describe.each(workspaces.map(({ folder, manifest }) => [folder, manifest] as const))(
  "%s",
  (folder, manifest) => {
    const isLibrary = manifest.exports?.["."] !== undefined;

    it("is named for its folder", () => {
      const [kind = ""] = folder.split("/");
      expect(manifest.name).toBe(NAMES[kind]?.(basename(folder)));
      expect(manifest.repository?.directory).toBe(folder);
    });

    it("says what it is, under which licence, and which Node it needs", () => {
      expect(manifest.description).toMatch(/^[A-Z][^\n]{10,118}[^.\n]$/);
      expect(manifest.license).toBe("Apache-2.0");
      expect(manifest.engines?.node).toBe(">=22.13");
      expect(manifest.type).toBe("module");
      if (isLibrary) expect(manifest.sideEffects).toBe(false);
    });

    it("exports its entry, its manifest and schemas for editors, nothing else", () => {
      const exported = Object.keys(manifest.exports ?? {});
      const others = exported.filter(
        (path) => path !== "." && path !== "./package.json" && !path.endsWith(".schema.json"),
      );
      expect(others).toEqual(SECOND_ENTRIES[folder] ?? []);
      expect(exported).toContain("./package.json");
      expect(isLibrary || manifest.bin !== undefined).toBe(true);
    });

    it("ships its build and its sources, and no tests", () => {
      // The built command has no source maps, so it ships no sources.
      const needed = folder === "packages/cli" ? ["bin", "dist", "schemas"] : ["dist", "src"];
      expect(manifest.files).toEqual(expect.arrayContaining(needed));
      expect(manifest.files).not.toContain("test");
    });

    it("has the files that every package has", () => {
      const files = filesAt("**/*", folder).map((file) => file.slice(folder.length + 1));
      expect(files).toEqual(expect.arrayContaining(["README.md", "package.json", "tsconfig.json"]));
      expect(files.some((file) => /^test\/.*\.test\.ts$/.test(file))).toBe(true);
      if (folder.startsWith("plugins/")) {
        expect(files).toContain("examples.ts");
        expect(manifest.keywords).toContain("bylaw-plugin");
      }
      if (folder.startsWith("rulesets/")) expect(manifest.keywords).toContain("bylaw-ruleset");
    });

    it.runIf(isLibrary)("has an index that only re-exports", () => {
      const file = `${folder}/src/index.ts`;
      const { program } = parseSync(file, textOf(file));
      const other = program.body.filter(
        (node) =>
          !(node.type === "ExportNamedDeclaration" && node.source !== null) &&
          node.type !== "ExportAllDeclaration",
      );
      expect(other.map(({ type }) => type)).toEqual([]);
      const wholesale = program.body.filter(
        (node) => node.type === "ExportAllDeclaration" && node.exportKind !== "type",
      );
      expect(wholesale).toEqual([]);
    });

    it("names its files in kebab-case", () => {
      const files = filesAt("{src,test,contract}/**/*", folder)
        .filter((file) => !file.includes("/fixtures/"))
        .map((file) => basename(file));
      expect(files.filter((file) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)+$/.test(file))).toEqual(
        [],
      );
    });
  },
);

describe.each(publishable.map(({ folder, manifest }) => [folder, manifest] as const))(
  "%s",
  (folder, manifest) => {
    it("can be published", async () => {
      const { messages, pkg } = await publint({
        pkgDir: join(root, folder),
        pack: false,
        strict: true,
      });
      expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([]);
      expect(manifest).toMatchObject({ publishConfig: { access: "public" } });
    });
  },
);

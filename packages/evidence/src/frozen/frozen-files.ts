import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from "node:fs";
import { basename, join } from "node:path";
import micromatch from "micromatch";
import type { Contract } from "@bylaw/contract";
import { BylawError } from "@bylaw/kernel";
import { MAX_FROZEN } from "../test-run.ts";
import { textDigest, type Tree, type TreeEntry } from "../tree/tree-digest.ts";
import { steeringPart } from "./steering-part.ts";

const TEST_FILES: readonly string[] = [
  "**/__tests__/**",
  "**/__mocks__/**",
  "**/__snapshots__/**",
  "**/{test,tests,spec,specs}/**",
  "**/*.{test,spec}.*",
  "**/*_test.*",
  "**/*_spec.rb",
  "**/test_*.py",
  "**/conftest.py",
];

const MAX_CONFIG_BYTES = 4 * 1024 * 1024;

/**
 * Returns the digests of the files that determine the tests, by path: test files, and the configuration of their runner. Test
 * files match the usual patterns, or the write patterns of a phase that must leave failing tests. Of `package.json`,
 * `pyproject.toml`, `setup.cfg`, `Cargo.toml` and `go.mod`, only the part that steers tests counts. Throws BYLAW_TREE_TOO_LARGE
 * for more than 20,000 files.
 */
export function frozenFiles(contract: Contract, tree: Tree): Readonly<Record<string, string>> {
  const patterns = [...TEST_FILES, ...patternsOf(contract)];
  const matchers = patterns.map((pattern) =>
    micromatch.matcher(pattern, { dot: true, nocase: true }),
  );
  const frozen: [path: string, digest: string][] = [];
  for (const entry of tree.entries) {
    const digest =
      steering(tree, entry) ??
      (matchers.some((matches) => matches(entry.path)) ? contentDigest(tree, entry) : undefined);
    if (digest !== undefined) frozen.push([entry.path, digest]);
  }
  if (frozen.length > MAX_FROZEN) {
    throw new BylawError({
      code: "BYLAW_TREE_TOO_LARGE",
      message: `There are ${frozen.length} test files; at most ${MAX_FROZEN} can be frozen`,
      fix: "Give the phase that writes tests narrower patterns",
    });
  }
  return Object.fromEntries(frozen);
}

/** The write patterns of the phases in which tests are written: those that must end with failing tests. */
function patternsOf({ phases, gates }: Contract): readonly string[] {
  return phases.flatMap(({ id, constraints, artifacts }) => {
    const rules = [
      ...artifacts.flatMap((artifact) => artifact.rules),
      ...gates.filter(({ phase }) => phase === id).flatMap(({ checks }) => checks),
    ];
    const red = rules.some(
      ({ check }) => check === "tests_are_failing" || check === "tests_failed",
    );
    return red
      ? constraints
          .filter(({ tool }) => tool === "write_files" || tool === "edit_files")
          .flatMap((one) => one.allowedPatterns ?? [])
      : [];
  });
}

// Includes the content of a link's target, which could otherwise change the tests unnoticed.
function contentDigest(tree: Tree, { path, kind, digest }: TreeEntry): string {
  if (kind !== "link") return digest;
  const target = read(join(tree.workspace, path));
  return textDigest(`${digest}\n${target === undefined ? "nothing" : textDigest(target)}`);
}

function steering(tree: Tree, entry: TreeEntry): string | undefined {
  const name = basename(entry.path).toLowerCase();
  if (isRunnerConfig(name) || SHADOWS.test(entry.path.toLowerCase()))
    return contentDigest(tree, entry);
  if (!PARTLY.has(name)) return undefined;
  const text = read(join(tree.workspace, entry.path));
  return text === undefined ? entry.digest : textDigest(steeringPart(name, text));
}

const PARTLY: ReadonlySet<string> = new Set([
  "package.json",
  "pyproject.toml",
  "setup.cfg",
  "cargo.toml",
  "go.mod",
]);
const CONFIGS: readonly RegExp[] = [
  /^(?:vitest|vite|jest|playwright|cypress|karma|ava|babel|nyc|c8|wdio)\.(?:config|workspace|conf|setup)\b/,
  /^\.(?:mocharc|nycrc|c8rc|babelrc|taprc|swcrc|npmrc|yarnrc|pnpmfile|env\.test|coveragerc)\b/,
  /^(?:pytest|\.pytest|tox|noxfile|sitecustomize|usercustomize|conftest|phpunit|nextest|makefile|justfile|taskfile)(?:\.[a-z]+)*$/,
  /^(?:jest|vitest|test|tests)[.-]?setup\.[cm]?[jt]sx?$/,
  /^(?:go\.work|bunfig\.toml|deno\.jsonc?|\.rspec|rakefile|phpunit\.xml\.dist|pom\.xml|maven\.config|build\.gradle(?:\.kts)?|cmakelists\.txt)$/,
];
// Files that Python would load instead of the test runner.
const SHADOWS = /^(?:_?pytest|unittest|pluggy|_pytest|nose2?|xdist|hypothesis)(?:\/|\.py$)/;

const isRunnerConfig = (name: string): boolean => CONFIGS.some((pattern) => pattern.test(name));

function read(path: string): string | undefined {
  let handle: number | undefined;
  try {
    handle = openSync(realpathSync(path), constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const found = fstatSync(handle);
    return found.isFile() && found.size <= MAX_CONFIG_BYTES
      ? readFileSync(handle, "utf8")
      : undefined;
  } catch {
    return undefined;
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

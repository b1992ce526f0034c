import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readCases, temporaryFolder } from "@bylaw/testing";
import { describe, expect, it } from "vitest";

const PACKAGE = resolve(import.meta.dirname, "..");
const MODULES = resolve(PACKAGE, "../../node_modules");
const folder = temporaryFolder();

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(file: string, args: readonly string[], cwd = folder): Ran {
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...args], {
    cwd,
    encoding: "utf8",
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
  });
  return { code: status, stdout, stderr };
}

const create = (...args: readonly string[]): Ran => run(join(PACKAGE, "bin/create-bylaw.js"), args);

/** Installs the dependencies of a created project from this repository. */
function install(at: string): void {
  const { dependencies, devDependencies } = manifestOf(at);
  for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
    mkdirSync(dirname(join(at, "node_modules", name)), { recursive: true });
    symlinkSync(join(MODULES, name), join(at, "node_modules", name));
  }
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const manifestOf = (at: string): Manifest =>
  JSON.parse(readFileSync(join(at, "package.json"), "utf8")) as Manifest;

/** Runs the created project's own test, as its manifest says. */
function ownTest(at: string): Ran {
  const [program = "", ...args] = (manifestOf(at).scripts["test"] ?? "").split(" ");
  if (program === "node") return run(args[0] ?? "", args.slice(1), at);
  return run(join(MODULES, "@bylaw/cli/bin/bylaw.js"), args, at);
}

describe.each(["host", "plugin", "check", "ruleset"])("--kind %s", (kind) => {
  const at = join(folder, `acme-${kind}`);

  it("creates a project whose own test passes", () => {
    const made = create(`acme-${kind}`, "--kind", kind);
    expect(made).toMatchObject({ code: 0, stderr: "" });
    for (const file of readdirSync(at, { recursive: true, withFileTypes: true }))
      if (file.isFile())
        expect(made.stdout).toContain(
          `wrote acme-${kind}/${join(file.parentPath, file.name).slice(at.length + 1)}`,
        );
    install(at);
    const tested = ownTest(at);
    expect(tested, tested.stdout + tested.stderr).toMatchObject({ code: 0 });
    expect(readFileSync(join(at, "README.md"), "utf8")).toContain(`# acme-${kind}`);
  });

  it("fills in every placeholder of the template", () => {
    for (const file of readdirSync(at, { recursive: true, withFileTypes: true }))
      if (file.isFile() && !file.parentPath.includes("node_modules"))
        expect(readFileSync(join(file.parentPath, file.name), "utf8")).not.toMatch(
          /PACKAGE_NAME|IDENTIFIER|SHORT_NAME|"\*"/,
        );
  });

  it("creates a test that can fail", () => {
    const broken = join(folder, `broken-${kind}`);
    cpSync(at, broken, { recursive: true, verbatimSymlinks: true });
    const rules = ["index.js", "policy.toml", ".bylaw/policy.toml"].map((file) =>
      join(broken, file),
    );
    for (const file of rules) {
      try {
        const text = readFileSync(file, "utf8");
        writeFileSync(
          file,
          text
            .replace(/"deny"|deny\(|ask\(/, (word) => (word === '"deny"' ? '"allow"' : "allow("))
            .replace("import { ask,", "import { allow,")
            .replace("defineCheck, deny", "defineCheck, allow"),
        );
      } catch {
        // Not every kind has this file.
      }
    }
    expect(ownTest(broken).code).not.toBe(0);
  });
});

it("accepts a name with a scope, and names the export after the rest", () => {
  expect(create("scoped", "--kind", "ruleset", "--name", "@acme/no-refunds").code).toBe(0);
  expect(manifestOf(join(folder, "scoped")).name).toBe("@acme/no-refunds");
  expect(readFileSync(join(folder, "scoped/index.js"), "utf8")).toContain(
    "export const noRefunds = ",
  );
});

it("requires the packages that this release was tested with", () => {
  const { devDependencies, version } = manifestOf(PACKAGE);
  const tested = { ...devDependencies, "@bylaw/cli": `^${version}` } as Record<string, string>;
  create("ranges", "--kind", "ruleset");
  const made = manifestOf(join(folder, "ranges"));
  for (const [name, range] of Object.entries({
    ...made.devDependencies,
    ...made.peerDependencies,
    ...made.dependencies,
  }))
    expect(range, name).toBe(tested[name]);
});

it("--version prints the release", () => {
  expect(create("--version")).toMatchObject({
    code: 0,
    stdout: `${manifestOf(PACKAGE).version}\n`,
  });
});

it("--help lists the kinds, and creates nothing", () => {
  const { code, stdout } = create("--help", "nothing");
  expect(code).toBe(0);
  expect(stdout).toContain("--kind <kind>");
  expect(readdirSync(folder)).not.toContain("nothing");
});

it.each(readCases<[readonly string[], string]>(import.meta, "refused"))(
  "%j creates nothing and says why",
  (args, message) => {
    mkdirSync(join(folder, "used"), { recursive: true });
    writeFileSync(join(folder, "used/notes.md"), "mine");
    writeFileSync(join(folder, "file"), "");
    const { code, stdout, stderr } = create(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(message);
    expect(stderr).toContain("fix: ");
    expect(readdirSync(folder)).not.toContain("new");
    expect(readdirSync(join(folder, "used"))).toEqual(["notes.md"]);
  },
);

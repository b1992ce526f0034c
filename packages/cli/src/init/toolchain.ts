import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject } from "@bylaw/kernel";

/** The programs and tasks that build and test a project, from its manifests. */
export interface Toolchain {
  /** The programs, such as `pnpm`. */
  readonly programs: readonly string[];
  /** The command lines of its tasks, such as `pnpm run build`. */
  readonly tasks: readonly string[];
}

interface Source {
  readonly manifest: RegExp;
  readonly program: (names: readonly string[]) => string;
  /** Reads the tasks from the text of a manifest. */
  readonly tasks: (text: string, program: string) => readonly string[];
}

const is = (program: string, tasks: readonly string[]): Omit<Source, "manifest"> => ({
  program: () => program,
  tasks: () => tasks,
});

const SOURCES: readonly Source[] = [
  {
    manifest: /^package\.json$/,
    program: packageManager,
    tasks: (text, program) => keysOf(text).map((name) => `${program} run ${name}`),
  },
  {
    manifest: /^composer\.json$/,
    program: () => "composer",
    tasks: (text) => keysOf(text).map((name) => `composer ${name}`),
  },
  {
    manifest: /^(GNUm|[Mm])akefile$/,
    program: () => "make",
    tasks: (text) => targetsOf(text).map((name) => `make ${name}`),
  },
  {
    manifest: /^\.?[Jj]ustfile$/,
    program: () => "just",
    tasks: (text) => targetsOf(text).map((name) => `just ${name}`),
  },
  { manifest: /^pyproject\.toml$|^setup\.py$/, ...is("python", ["pytest", "ruff check ."]) },
  { manifest: /^Cargo\.toml$/, ...is("cargo", ["cargo build", "cargo test", "cargo clippy"]) },
  { manifest: /^go\.mod$/, ...is("go", ["go build ./...", "go test ./...", "go vet ./..."]) },
  { manifest: /^pom\.xml$/, ...is("mvn", ["mvn test", "mvn package"]) },
  { manifest: /^build\.gradle(\.kts)?$/, ...is("gradle", ["./gradlew build", "./gradlew test"]) },
  { manifest: /\.(csproj|fsproj|sln)$/, ...is("dotnet", ["dotnet build", "dotnet test"]) },
  { manifest: /^Package\.swift$/, ...is("swift", ["swift build", "swift test"]) },
  { manifest: /^pubspec\.yaml$/, ...is("dart", ["dart analyze", "dart test"]) },
  { manifest: /^mix\.exs$/, ...is("mix", ["mix compile", "mix test"]) },
  { manifest: /^Gemfile$/, ...is("bundle", ["bundle exec rspec", "bundle exec rubocop"]) },
  { manifest: /^CMakeLists\.txt$/, ...is("cmake", ["cmake --build build", "ctest"]) },
];

/** Reads the manifests of a folder. A manifest that cannot be read declares nothing. */
export function readToolchain(root: string): Toolchain {
  const names = namesIn(root);
  const programs = new Set<string>();
  const tasks = new Set<string>();
  for (const source of SOURCES) {
    const manifest = names.find((name) => source.manifest.test(name));
    if (manifest === undefined) continue;
    const program = source.program(names);
    programs.add(program);
    for (const task of source.tasks(textOf(join(root, manifest)), program)) tasks.add(task);
  }
  return { programs: [...programs], tasks: [...tasks] };
}

function namesIn(root: string): readonly string[] {
  try {
    return readdirSync(root);
  } catch {
    // The folder does not exist yet; `bylaw init` creates it.
    return [];
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function packageManager(names: readonly string[]): string {
  if (names.includes("pnpm-lock.yaml")) return "pnpm";
  if (names.includes("yarn.lock")) return "yarn";
  return names.some((name) => /^bun\.lockb?$/.test(name)) ? "bun" : "npm";
}

// Any other name could have a special meaning in a pattern or on a terminal.
const NAME = /^[A-Za-z0-9][\w:.-]*$/;

function keysOf(text: string): readonly string[] {
  let manifest: unknown;
  try {
    manifest = JSON.parse(text);
  } catch {
    return [];
  }
  const scripts = isJsonObject(manifest) ? manifest["scripts"] : undefined;
  return isJsonObject(scripts) ? Object.keys(scripts).filter((name) => NAME.test(name)) : [];
}

function targetsOf(text: string): readonly string[] {
  const heads = text.matchAll(/^([A-Za-z0-9][\w.-]*)(?:[ \t][^:=\n]*)?:(?!=)/gm);
  return [...heads].flatMap(([, name = ""]) => (NAME.test(name) ? [name] : []));
}

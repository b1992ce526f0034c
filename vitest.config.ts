import { globSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 13)) {
  throw new Error(
    `Node ${process.version} is too old; 22.13 or later is needed. Run \`npm test\`, which puts the repository's own Node first`,
  );
}

// The task of a package starts in its folder.
const projects = globSync(["{packages,plugins,rulesets}/*/package.json", "test/package.json"], {
  cwd: import.meta.dirname,
})
  .map((file) => dirname(file))
  .sort();

/** Makes a folder for this run. Vitest reads this file again for each project, which gets the folder that the first one made. */
function folderFor(variable: string): string {
  const known = process.env[variable];
  if (known !== undefined) return known;
  const made = mkdtempSync(join(tmpdir(), "bylaw-vitest-"));
  process.env[variable] = made;
  process.once("exit", () => rmSync(made, { recursive: true, force: true }));
  return made;
}

// A cluster is made once for all suites that want PostgreSQL.
const template = folderFor("BYLAW_POSTGRES_TEMPLATE");
// Thousands of processes load the same modules, each of which is compiled once.
const compiled = folderFor("BYLAW_COMPILED");

/** Begins with the walks, so that no long file is left for one worker at the end. */
class WalksFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isWalk = ({ project }: TestSpecification): boolean => project.name === "test";
    const sorted = await super.sort(files);
    return [...sorted.filter(isWalk), ...sorted.filter((file) => !isWalk(file))];
  }
}

export default defineConfig({
  test: {
    env: { BYLAW_POSTGRES_TEMPLATE: template, NODE_COMPILE_CACHE: compiled },
    // The second that is given by default is too short on a busy machine.
    expect: { poll: { timeout: 60_000 } },
    // Many suites wait for programs and deadlines, so a worker for each core would leave cores idle.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: WalksFirst },
    // Read from the root of each project.
    coverage: { provider: "v8", include: ["src/**/*.ts"] },
    projects: projects.map((root) => ({
      extends: true as const,
      test: {
        name: root,
        root,
        setupFiles: ["seed", "matchers", "folders"].map((file) =>
          join(import.meta.dirname, `test/${file}.ts`),
        ),
        include: root === "test" ? ["{contract,e2e,pack}/**/*.test.ts"] : ["test/**/*.test.ts"],
        // Loading what is tested again for each file takes as long as many tests. The files of a worker share it.
        isolate: false,
        // What is built is loaded by Node as it is, instead of being transformed again for each project.
        server: { deps: { external: [/\/(packages|plugins|rulesets)\/[^/]+\/dist\//] } },
        testTimeout: 120_000,
        hookTimeout: 240_000,
      },
    })),
  },
});

import { defineConfig } from "vitest/config";
import base from "./vitest.config.ts";

/**
 * What takes long: other processes that are killed or traced, PostgreSQL, a browser, packed installs, whole walks, a copy of
 * the whole workspace, every program of the pages, a new server for each of many cases, and policies of millions of parts.
 */
const SLOW = [
  "**/*{crash,processes,postgres,nodes,browser,durability,syncs,race,adversary,pack,soak,drivers}*.test.ts",
  "contract/{new-plugin,docs}.test.ts",
  "test/{chain,docs-page,engines,exposure,guard-code,hostile,index-scan,store-health}.test.ts",
  "e2e/**",
  "pack/**",
];

interface Project {
  readonly test: { readonly root: string; readonly include: readonly string[] };
}

const projects = (base.test?.projects ?? []) as unknown as readonly Project[];

export default defineConfig({
  test: {
    ...base.test,
    projects: projects
      .filter(({ test }) => test.root !== "packages/store-postgres")
      .map((project) => ({ ...project, test: { ...project.test, exclude: SLOW } })) as never,
  },
});

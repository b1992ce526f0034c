import { describe, expect, it } from "vitest";
import {
  filesAt,
  importsOf,
  packageOf,
  testWorkspace,
  workspaces,
  type Workspace,
} from "./workspaces.ts";

interface Layer {
  readonly folder: RegExp;
  /** The folders that it may depend on. */
  readonly internal: readonly RegExp[];
  /** The third-party packages that it may depend on. Left out: any. */
  readonly external?: readonly string[];
  /** The packages that it may have only as peers, so that the host's tree holds one of each. Left out: no limit. */
  readonly peers?: readonly string[];
}

const KERNEL = /^packages\/kernel$/;
const WORDING = /^packages\/wording$/;
const STORE = /^packages\/store$/;
const LAYERS: readonly Layer[] = [
  { folder: KERNEL, internal: [], external: ["tapable"], peers: ["zod"] },
  { folder: WORDING, internal: [], external: [], peers: ["zod"] },
  { folder: /^packages\/policy-language$/, internal: [KERNEL, /^packages\/shell$/] },
  { folder: /^packages\/(config|contract|shell|store)$/, internal: [KERNEL] },
  { folder: /^packages\/(log|testing)$/, internal: [KERNEL, STORE] },
  { folder: /^packages\/process$/, internal: [], external: [] },
  { folder: /^packages\/tools$/, internal: [KERNEL, /^packages\/process$/] },
  { folder: /^packages\/evidence$/, internal: [KERNEL, /^packages\/(contract|process)$/] },
  { folder: /^packages\/behavior$/, internal: [KERNEL, /^packages\/config$/] },
  { folder: /^packages\/consensus$/, internal: [KERNEL, /^packages\/log$/] },
  { folder: /^packages\/store-[a-z0-9-]+$/, internal: [KERNEL, STORE, /^packages\/log$/] },
  {
    folder: /^packages\/host$/,
    internal: [KERNEL, /^packages\/(config|log|store|store-[a-z0-9-]+)$/],
  },
  { folder: /^packages\/engine$/, internal: [KERNEL, /^packages\/hook-client$/] },
  { folder: /^packages\/hook-client$/, internal: [], external: [] },
  {
    folder: /^packages\/(host-[a-z0-9-]+|runner)$/,
    internal: [
      KERNEL,
      /^packages\/(behavior|config|host|log|process|store|store-[a-z0-9-]+|tools)$/,
    ],
  },
  { folder: /^packages\/(orchestrator|dashboard)$/, internal: [/^(packages|plugins)\//] },
  // The rulesets are built into the command.
  { folder: /^packages\/cli$/, internal: [/^(packages|plugins|rulesets)\//] },
  { folder: /^packages\/create-bylaw$/, internal: [], external: ["@clack/prompts"] },
  { folder: /^packages\/sdk$/, internal: [], external: ["eventsource-parser"] },
  {
    folder: /^plugins\//,
    internal: [
      KERNEL,
      /^packages\/(behavior|consensus|contract|evidence|shell|policy-language|log|store|tools)$/,
    ],
    peers: ["@bylaw/kernel", "zod"],
  },
  {
    folder: /^rulesets\//,
    internal: [KERNEL, /^(plugins|rulesets)\//],
    external: [],
    peers: ["@bylaw/kernel"],
  },
];

// Every package that writes messages may import it. Exceptions: packages without any dependency, and rulesets, which are data.
const wordingFor = (folder: string): readonly RegExp[] =>
  [WORDING, /^packages\/(hook-client|process|sdk)$/, /^rulesets\//].some((without) =>
    without.test(folder),
  )
    ? []
    : [WORDING];

const folderOf = new Map(
  [...workspaces, testWorkspace].map(({ folder, manifest }) => [manifest.name, folder]),
);

const shippedNeeds = ({ manifest }: Workspace): readonly string[] => [
  ...new Set([
    ...Object.keys(manifest.dependencies ?? {}),
    ...Object.keys(manifest.peerDependencies ?? {}),
    ...Object.keys(manifest.optionalDependencies ?? {}),
  ]),
];

const shippedImports = ({ folder }: Workspace): readonly string[] => [
  ...new Set(
    filesAt("{src,contract}/**/*.ts", folder)
      .flatMap(importsOf)
      .map(({ specifier }) => specifier)
      .filter((specifier) => !specifier.startsWith(".") && !specifier.startsWith("node:"))
      .map(packageOf),
  ),
];

const layerOf = (folder: string): Layer | undefined =>
  LAYERS.find((layer) => layer.folder.test(folder));

describe.each(workspaces.map((workspace) => [workspace.folder, workspace] as const))(
  "%s",
  (folder, workspace) => {
    it("has a row in the table of who may import whom", () => {
      expect(
        layerOf(folder),
        `say in CONTRIBUTING.md and in this table who may import ${folder}`,
      ).toBeDefined();
    });

    it.each([
      ["by its manifest", shippedNeeds(workspace)],
      ["by its imports", shippedImports(workspace)],
    ])("depends only on what the table allows, %s", (_, needs) => {
      const layer = layerOf(folder);
      const forbidden = needs.filter((name) => {
        const target = folderOf.get(name);
        if (target !== undefined)
          return ![...(layer?.internal ?? []), ...wordingFor(folder)].some((allowed) =>
            allowed.test(target),
          );
        return layer?.external?.includes(name) === false && layer.peers?.includes(name) !== true;
      });
      expect(forbidden).toEqual([]);
    });

    it("has as peers the packages that a host's tree must hold once", () => {
      const peers = layerOf(folder)?.peers;
      if (peers === undefined) return;
      const dependencies = Object.keys(workspace.manifest.dependencies ?? {});
      expect(dependencies.filter((name) => peers.includes(name))).toEqual([]);
      const internalPeers = Object.keys(workspace.manifest.peerDependencies ?? {}).filter((name) =>
        folderOf.has(name),
      );
      expect(internalPeers.filter((name) => !peers.includes(name))).toEqual([]);
    });
  },
);

it("no package depends on itself through other packages", () => {
  const needs = new Map(
    workspaces.map((workspace) => [
      workspace.manifest.name,
      [...new Set([...shippedNeeds(workspace), ...shippedImports(workspace)])].filter((name) =>
        folderOf.has(name),
      ),
    ]),
  );
  const cycles: string[] = [];
  const walk = (name: string, path: readonly string[]): void => {
    if (path.includes(name)) {
      cycles.push([...path.slice(path.indexOf(name)), name].join(" → "));
      return;
    }
    for (const next of needs.get(name) ?? []) walk(next, [...path, name]);
  };
  for (const name of needs.keys()) walk(name, []);
  expect(cycles).toEqual([]);
});

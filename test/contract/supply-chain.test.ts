import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readCases, temporaryFolder } from "@bylaw/testing";
import { beforeAll, describe, expect, it } from "vitest";
import {
  publishable,
  root,
  rootManifest,
  textOf,
  workspaces,
  type Workspace,
} from "./workspaces.ts";

interface Component {
  readonly "bom-ref": string;
  readonly type: string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly licenses?: readonly {
    readonly license?: { readonly id: string };
    readonly expression?: string;
  }[];
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
}

interface Bom {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly serialNumber: string;
  readonly version: number;
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

const npm = (cwd: string, args: string): string =>
  execFileSync("npm", args.split(" "), {
    cwd,
    encoding: "utf8",
    maxBuffer: 2 ** 26,
    shell: process.platform === "win32",
  });

const folder = temporaryFolder();
let bom: Bom;
let refs: readonly string[];
beforeAll(() => {
  bom = JSON.parse(npm(root, "run --silent sbom")) as Bom;
  refs = bom.components.map((component) => component["bom-ref"]);
});

/**
 * A folder for which npm lists what a user installs: only the published packages, without what they need for development and without
 * peers that are optional.
 */
function strangersFolder(): string {
  const at = join(folder, "stranger");
  const published = publishable.map((one) => one.folder);
  const write = (path: string, content: object): void => {
    mkdirSync(dirname(join(at, path)), { recursive: true });
    writeFileSync(join(at, path), JSON.stringify(content));
  };
  const { packages, ...lock } = JSON.parse(textOf("package-lock.json")) as {
    readonly packages: Readonly<Record<string, Entry>>;
  };
  const { optionalDependencies: _, ...top } = forUsers(packages[""] ?? {});
  const kept = Object.entries(packages).filter(([path, { link, resolved = "" }]) =>
    link === true || !path.includes("node_modules/")
      ? published.includes(link === true ? resolved : path)
      : true,
  );
  write("package-lock.json", {
    ...lock,
    packages: {
      "": { ...top, workspaces: published },
      ...Object.fromEntries(kept.map(([path, entry]) => [path, forUsers(entry)])),
    },
  });
  write("package.json", { ...top, workspaces: published });
  for (const one of published)
    write(`${one}/package.json`, forUsers(JSON.parse(textOf(`${one}/package.json`)) as Entry));
  return at;
}

interface Entry {
  readonly devDependencies?: object;
  readonly optionalDependencies?: object;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly dev?: boolean;
  readonly link?: boolean;
  readonly resolved?: string;
}

function forUsers({ devDependencies: _, dev: __, ...entry }: Entry): Entry {
  const { peerDependencies = {}, peerDependenciesMeta: meta = {} } = entry;
  const peers = Object.entries(peerDependencies).filter(([name]) => meta[name]?.optional !== true);
  return { ...entry, peerDependencies: Object.fromEntries(peers) };
}

const own = new Set(publishable.map(({ manifest }) => manifest.name));
const command = workspaces.find(({ folder }) => folder === "packages/cli") as Workspace;

describe("npm run sbom", () => {
  it("lists what npm installs for the published packages, what these contain, and no others", () => {
    // One line each: path:name@version, after the alias if there is one, and the target of a link.
    const installed = npm(strangersFolder(), "ls --all --package-lock-only --parseable --long")
      .trim()
      .split("\n")
      .flatMap((line) => /:(?:[^:]+@npm:)?((?:@[^:@]+\/)?[^:@]+@[^:]+)/.exec(line)?.[1] ?? [])
      .filter((ref) => !ref.startsWith(`${rootManifest.name}@`));
    expect(installed.length).toBeGreaterThan(publishable.length);
    const page = "packages/@bylaw/dashboard/dist/page/";
    const headings = ["", page]
      .map((place) => textOf(`packages/cli/dist/${place}THIRD-PARTY-LICENSES.txt`))
      .join("\n")
      .matchAll(/^(\S+) (\d+\.\d+\.\d+\S*) \([\w.-]+\)$/gm);
    const bundled = Array.from(headings, ([, name, version]) => `${name}@${version}`);
    expect(bundled.join(" ")).toMatch(/ chart\.js@.* preact@/);
    const copied = refs.filter((ref) => ref.startsWith("swagger-ui-dist@"));
    expect(copied).toHaveLength(1);
    expect([...refs].sort()).toEqual([...new Set([...installed, ...bundled, ...copied])].sort());
  });

  it("says what the command has inside", () => {
    const { devDependencies, name } = command.manifest;
    const inside = Object.keys(devDependencies ?? {}).filter((one) => !own.has(one));
    const { dependsOn = [] } = bom.dependencies.find(({ ref }) => ref.startsWith(`${name}@`)) ?? {};
    const names = dependsOn.map((ref) => ref.slice(0, ref.lastIndexOf("@")));
    expect(names).toEqual(expect.arrayContaining([...inside, "yaml", "swagger-ui-dist"]));
  });

  it("has every runtime dependency of a published package, and no tool of this repository", () => {
    const names = new Set(bom.components.map(({ name }) => name));
    for (const { manifest } of publishable) {
      expect(names).toContain(manifest.name);
      for (const name of Object.keys({
        ...manifest.dependencies,
        ...manifest.optionalDependencies,
        ...forUsers(manifest).peerDependencies,
      }))
        expect(names).toContain(name);
    }
    const declared = new Set(
      workspaces.flatMap(({ manifest }) =>
        Object.keys({
          ...manifest.dependencies,
          ...manifest.peerDependencies,
          ...(manifest === command.manifest ? manifest.devDependencies : {}),
        }),
      ),
    );
    // Frameworks of hosts install types too.
    const tools = Object.keys(rootManifest.devDependencies ?? {}).filter(
      (name) => !declared.has(name) && !name.startsWith("@types/"),
    );
    expect(tools).toContain("vitest");
    expect(tools.filter((name) => names.has(name))).toEqual([]);
    for (const name of [
      "@bylaw/test",
      "@bylaw/plugin-hello",
      "autocannon",
      ...Object.keys(rootManifest.optionalDependencies ?? {}),
    ])
      expect(names).not.toContain(name);
  });

  it("has a version and a licence for each, and an integrity hash for every third-party package", () => {
    for (const { name, version, purl, type, licenses = [], hashes = [] } of bom.components) {
      expect([name, version, type]).toEqual([
        name,
        expect.stringMatching(/^\d+\.\d+\.\d+/),
        "library",
      ]);
      expect(purl).toBe(`pkg:npm/${name.replace("@", "%40")}@${version}`);
      expect([name, licenses.map(({ license, expression }) => license?.id ?? expression)]).toEqual([
        name,
        [expect.stringMatching(/./)],
      ]);
      if (!own.has(name))
        expect([name, hashes]).toEqual([
          name,
          [{ alg: "SHA-512", content: expect.stringMatching(/^[\da-f]{128}$/) }],
        ]);
    }
  });

  it("is CycloneDX in which every reference has one component", () => {
    const { bomFormat, specVersion, serialNumber, version, metadata, dependencies } = bom;
    expect([bomFormat, specVersion, version]).toEqual(["CycloneDX", "1.5", 1]);
    expect(serialNumber).toMatch(/^urn:uuid:[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
    const all = [metadata.component["bom-ref"], ...refs];
    expect(new Set(all).size).toBe(all.length);
    expect(dependencies.map(({ ref }) => ref).sort()).toEqual([...all].sort());
    for (const { dependsOn } of dependencies) {
      expect(all).toEqual(expect.arrayContaining([...dependsOn]));
      expect(new Set(dependsOn).size).toBe(dependsOn.length);
    }
  });
});

describe("npm run licenses", () => {
  const licenses = (...args: readonly string[]) =>
    spawnSync("npm", ["run", "--silent", "licenses", "--", ...args], {
      cwd: root,
      encoding: "utf8",
      shell: process.platform === "win32",
    });
  const withComponent = (licence: object): string => {
    const file = join(folder, "bom.json");
    const [first, ...others] = bom.components;
    writeFileSync(
      file,
      JSON.stringify({
        ...bom,
        components: [{ ...first, licenses: undefined, ...licence }, ...others],
      }),
    );
    return file;
  };

  it("lists every package with its licence and its dependent, and passes", () => {
    const { status, stdout, stderr } = licenses();
    expect([status, stderr]).toEqual([0, ""]);
    const rows = stdout.trim().split("\n");
    expect(rows).toHaveLength(bom.components.length);
    expect(rows.find((row) => row.startsWith("tapable "))).toMatch(
      /^tapable +\d+\.\d+\.\d+ +MIT +@bylaw\/cli > tapable$/,
    );
  });

  it.each(readCases<[string, object, string]>(import.meta, "refused"))(
    "exits with 1 for %s",
    (_, licence, told) => {
      const { status, stderr } = licenses(withComponent(licence));
      expect(status).toBe(1);
      expect(stderr).toContain(`has the licence ${told}, needed by @bylaw/`);
    },
  );
});

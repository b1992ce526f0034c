import semver from "semver";
import { describe, expect, it } from "vitest";
import { testWorkspace, workspaces } from "./workspaces.ts";

const versions = new Map(workspaces.map(({ manifest }) => [manifest.name, manifest.version]));
const FIELDS = [
  "dependencies",
  "peerDependencies",
  "optionalDependencies",
  "devDependencies",
] as const;

describe.each(
  [...workspaces, testWorkspace].map(({ folder, manifest }) => [folder, manifest] as const),
)("%s", (_, manifest) => {
  it("accepts the local versions of our packages in its ranges", () => {
    const wrong = FIELDS.flatMap((field) =>
      Object.entries(manifest[field] ?? {}).flatMap(([name, range]) => {
        const version = versions.get(name);
        if (version === undefined)
          return name.startsWith("@bylaw/") ? [`${field}: no package ${name} here`] : [];
        return semver.satisfies(version, range)
          ? []
          : [`${field}: ${name}@${version} is not ${range}`];
      }),
    );
    expect(wrong).toEqual([]);
  });

  it("has every peer as a development dependency, to test against it", () => {
    const peers = Object.keys(manifest.peerDependencies ?? {});
    expect(peers.filter((name) => manifest.devDependencies?.[name] === undefined)).toEqual([]);
  });
});

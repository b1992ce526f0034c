import { linkSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@bylaw/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { realPath, resolvePaths, type ResolveOptions } from "../src/paths/real-paths.ts";

let root = "";
let work = "";
beforeEach(() => {
  root = temporaryFolder();
  work = join(root, "work");
  mkdirSync(join(work, "src"), { recursive: true });
  mkdirSync(join(root, "out/deep"), { recursive: true });
  writeFileSync(join(work, "src/a"), "a");
});

const REFUSE: ResolveOptions = { seenFrom: ["workspace"], doubtful: "refuse" };
const places = (
  text: string,
  options: ResolveOptions = REFUSE,
  workspace = work,
): readonly string[] => {
  const call = { hook: "beforeToolCall", tool: "x", args: {}, cwd: workspace, workspace } as const;
  const { paths } = resolvePaths(call, [text], options) as {
    readonly paths: readonly (readonly string[])[];
  };
  const [[said, ...found] = []] = paths;
  expect(said).toBe(text);
  return found;
};

describe("resolvePaths", () => {
  it("resolves a link to a missing file only with `follow`, and keeps a missing path without a link", () => {
    symlinkSync(join(root, "absent"), join(work, "gone"));
    symlinkSync(join(work, "gone"), join(work, "again"));
    symlinkSync("src/../absent/../src", join(work, "round"));
    symlinkSync("src", join(work, "there"));
    for (const text of ["gone", "gone/x", "again", "again/x/y", "round", "round/a"])
      expect(places(text), text).toEqual([]);
    expect(places("gone/x", { doubtful: "follow" })).toEqual([join(root, "absent/x")]);
    expect(places("again", { doubtful: "follow" })).toEqual([join(root, "absent")]);
    expect(places("there/new/file")).toEqual([join(work, "src/new/file")]);
    expect(places("there/a")).toEqual([join(work, "src/a")]);
    expect(places("src/a/below")).toEqual([join(work, "src/a/below")]);
    expect(realPath(join(work, "gone"))).toBe(join(root, "absent"));
    expect(realPath(join(work, "gone"), { dangling: "nowhere" })).toBeUndefined();
  });

  it("reads the file system once for all plugins that prepare one subject, and again for the next subject", () => {
    const [preparation, next] = [{}, {}];
    expect(places("src/a", { ...REFUSE, preparation })).toEqual([join(work, "src/a")]);
    rmSync(join(work, "src/a"));
    symlinkSync(join(root, "out/key"), join(work, "src/a"));
    for (const doubtful of ["follow", "refuse"] as const)
      expect(places("src/a", { seenFrom: ["workspace"], doubtful, preparation })).toEqual([
        join(work, "src/a"),
      ]);
    expect(places("src/a", { doubtful: "follow", preparation: next })).toEqual([
      join(root, "out/key"),
    ]);
    expect(places("src/a", { ...REFUSE, preparation: next })).toEqual([]);
    expect(places("src/a")).toEqual([]);
  });

  it("with `refuse`, resolves no link before `..`; with `follow`, returns every possible path", () => {
    symlinkSync(join(root, "out/deep"), join(work, "deep"));
    expect(places("deep/../key")).toEqual([]);
    expect(new Set(places("deep/../key", { doubtful: "follow" }))).toEqual(
      new Set([join(root, "out/key"), join(work, "key")]),
    );
    expect(places("src/../key")).toEqual([join(work, "key")]);
    expect(places("deep/key")).toEqual([join(root, "out/deep/key")]);
  });

  it("resolves no path that repeats the name of a link", () => {
    symlinkSync("../out", join(work, "deep"));
    for (const doubtful of ["follow", "refuse"] as const) {
      expect(places("deep/../deep/key/../key", { doubtful }), doubtful).toEqual([]);
      expect(places("src/../src/a/../a", { doubtful }), doubtful).toEqual([join(work, "src/a")]);
      expect(places("src/../src/new/../new", { doubtful }), doubtful).toEqual([
        join(work, "src/new"),
      ]);
    }
  });

  it("returns the path through a workspace that is behind a link, by either name", () => {
    const seen = join(root, "seen");
    symlinkSync(work, seen);
    for (const text of ["src/a", join(seen, "src/a"), join(work, "src/a")])
      expect(places(text, REFUSE, seen), text).toEqual([join(seen, "src/a"), join(work, "src/a")]);
    expect(places("src/../src/a", REFUSE, seen)).toEqual([
      join(seen, "src/a"),
      join(work, "src/a"),
    ]);
    expect(places(`${work}/src/../src/a`, REFUSE, seen)).toEqual([]);
  });

  it("keeps only the paths of the folders in `seenFrom`", () => {
    symlinkSync(join(root, "out"), join(work, "cwd"));
    const call = {
      hook: "beforeToolCall",
      tool: "x",
      args: {},
      cwd: join(work, "cwd"),
      workspace: work,
    } as const;
    expect(resolvePaths(call, ["key"], REFUSE)).toEqual({
      paths: [["key", join(root, "out/key")]],
    });
    expect(resolvePaths(call, ["key"])).toEqual({
      paths: [["key", join(work, "cwd/key"), join(root, "out/key")]],
    });
  });

  it("also returns a guarded file with the same inode", () => {
    const guarded = [join(work, "contract"), join(work, "absent")];
    writeFileSync(join(work, "contract"), "c");
    linkSync(join(work, "contract"), join(work, "src/twin"));
    expect(places("src/twin", { ...REFUSE, guarded })).toEqual([
      join(work, "src/twin"),
      join(work, "contract"),
    ]);
    expect(places("src/a", { ...REFUSE, guarded })).toEqual([join(work, "src/a")]);
    expect(places("contract", { ...REFUSE, guarded })).toEqual([join(work, "contract")]);
  });

  it("resolves again at every call, even if a file was replaced by a link", () => {
    mkdirSync(join(work, "src/deep/er"), { recursive: true });
    mkdirSync(join(root, "out/deep/er"), { recursive: true });
    for (const [file, folder] of [
      ["src/deep/er/new", "src/deep/er"],
      ["src/deep/er/new", "src/deep"],
      ["src/deep/er/new", "src"],
      ["src/a", "src/a"],
    ] as const) {
      const target = join(root, folder.replace(/^src/, "out"));
      expect(places(file), folder).toEqual([join(work, file)]);
      renameSync(join(work, folder), join(root, "aside"));
      symlinkSync(target, join(work, folder));
      const led = file === folder ? [] : [join(target, file.slice(folder.length + 1))];
      expect(places(file), folder).toEqual(led);
      expect(places(file, { doubtful: "follow" }), folder).toEqual(
        [join(target, file.slice(folder.length))].map((path) => path.replace(/\/$/, "")),
      );
      rmSync(join(work, folder));
      renameSync(join(root, "aside"), join(work, folder));
      expect(places(file), folder).toEqual([join(work, file)]);
    }
    linkSync(join(work, "src/a"), join(root, "guarded"));
    expect(places("src/a", { ...REFUSE, guarded: [join(root, "guarded")] })).toEqual([
      join(work, "src/a"),
      join(root, "guarded"),
    ]);
    rmSync(join(root, "guarded"));
    expect(places("src/a", { ...REFUSE, guarded: [join(root, "guarded")] })).toEqual([
      join(work, "src/a"),
    ]);
  });

  it("gives the same result for every spelling of a path", () => {
    for (const text of [
      "src/a",
      "./src/a",
      "src//a",
      "src/./a",
      "src/../src/a",
      "src/a/",
      "src/a/.",
      `${work}/src/a`,
      `/${work}/src/a`,
    ])
      expect(places(text), text).toEqual([join(work, "src/a")]);
    for (const text of [".", "src/..", work]) expect(places(text), text).toEqual([work]);
    expect(places("/")).toEqual(["/"]);
    expect(places("/..")).toEqual(["/"]);
  });

  it("resolves no loop, and nothing after a thousand paths", () => {
    symlinkSync("loop", join(work, "loop"));
    expect(places("loop/x")).toEqual([]);
    const call = {
      hook: "beforeToolCall",
      tool: "x",
      args: {},
      cwd: work,
      workspace: work,
    } as const;
    const { paths } = resolvePaths(
      call,
      Array.from({ length: 1_001 }, () => "src/a"),
      REFUSE,
    ) as { readonly paths: readonly (readonly string[])[] };
    expect([paths[999]?.length, paths[1_000]?.length]).toEqual([2, 1]);
    expect(resolvePaths(call, [])).toBeUndefined();
  });
});

import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { readCases } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import {
  commitBase,
  commitState,
  contractTree,
  observeTests,
  type CommitState,
} from "../src/index.ts";
import { NODE, contractAt, folder, put } from "./kit.ts";

const GOOD = "export const add = (one, other) => one + other;\n";
const BAD = "export const add = () => 3;\n";
const FILES = {
  "src/add.js": GOOD,
  "src/run.sh": "#!/bin/sh\n",
  "package.json": "{}\n",
  ".gitignore": "dist/\n*.local\n",
};

interface Place {
  readonly root: string;
  readonly git: (...args: readonly string[]) => string;
  readonly state: () => Promise<CommitState>;
}

/** Creates a repository with these files committed, and a workspace in it. */
function repository(
  files: Readonly<Record<string, string>> = FILES,
  { inside = "", format = "sha1", more = {} } = {},
): Place {
  const root = folder(files);
  const git: Place["git"] = (...args) => gitIn(root, args);
  git("init", "--quiet", "--initial-branch=main", `--object-format=${format}`);
  git("add", "--all");
  git("commit", "--quiet", "--message=begin");
  const workspace = join(root, inside);
  const contract = contractAt(join(workspace, "workflow.yaml"), more);
  const state = async (): Promise<CommitState> => {
    const found = await commitState(contract, await contractTree(contract, workspace));
    // `commitBase` must return exactly the state that a later `commitState` returns.
    expect(await commitBase(contract, workspace)).toEqual({ head: found.head, apart: found.apart });
    return found;
  };
  return { root, git, state };
}

const gitIn = (cwd: string, args: readonly string[]): string =>
  execFileSync(
    "git",
    [
      "-c",
      "user.name=Ann",
      "-c",
      "user.email=ann@example.org",
      "-c",
      "protocol.file.allow=always",
      ...args,
    ],
    {
      cwd,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" },
    },
  ).trim();

const commit = ({ git }: Place, message = "more"): string =>
  git("commit", "--quiet", "--allow-empty", `--message=${message}`);

const commitAll = (place: Place, message?: string): void => {
  place.git("add", "--all");
  commit(place, message);
};

describe("a commit", () => {
  it("equals the workspace, with either kind of object id and any index", async () => {
    for (const format of ["sha1", "sha256"]) {
      const place = repository(FILES, { format });
      const { root, git, state } = place;
      const begun = await state();
      expect(begun).toMatchObject({ head: git("rev-parse", "HEAD"), differs: [], count: 0 });
      expect(begun.head).toHaveLength(format === "sha1" ? 40 : 64);
      chmodSync(join(root, "src/run.sh"), 0o755);
      symlinkSync("add.js", join(root, "src/link.js"));
      put(root, "src/more.js", GOOD);
      expect((await state()).differs).toEqual([
        "src/link.js (not in the commit)",
        "src/more.js (not in the commit)",
        "src/run.sh (another kind: file and not program)",
      ]);
      commitAll(place);
      expect(await state()).toMatchObject({ differs: [], count: 0, apart: begun.apart });
      // Staged content is not committed yet.
      put(root, "src/add.js", BAD);
      git("add", "--all");
      put(root, "src/add.js", GOOD);
      expect((await state()).differs).toEqual([]);
      // The committed content now differs from the file on disk.
      commit(place);
      expect((await state()).differs).toEqual(["src/add.js (another content)"]);
      git("rm", "--cached", "--quiet", "src/more.js");
      commit(place);
      expect((await state()).differs).toEqual([
        "src/add.js (another content)",
        "src/more.js (not in the commit)",
      ]);
    }
  });

  it("is null without a repository or a first commit", async () => {
    const root = folder(FILES);
    const contract = contractAt(join(root, "workflow.yaml"));
    const state = async (): Promise<CommitState> =>
      commitState(contract, await contractTree(contract, root));
    const none = await state();
    expect(none).toMatchObject({ head: null, differs: [], count: 0 });
    gitIn(root, ["init", "--quiet"]);
    expect(await state()).toEqual(none);
  });

  it("is compared only inside the workspace; its other files have a separate digest", async () => {
    const place = repository(
      { "one/src/add.js": GOOD, "two/src/add.js": GOOD, ".gitignore": "*.local\n" },
      { inside: "one" },
    );
    const { root, state } = place;
    const begun = await state();
    expect(begun.differs).toEqual([]);
    put(root, "one/key.local", "x");
    expect((await state()).differs).toEqual([]);
    put(root, "two/src/add.js", BAD);
    expect(await state()).toEqual(begun);
    commitAll(place);
    const later = await state();
    expect([later.differs, later.apart === begun.apart]).toEqual([[], false]);
  });

  it("may lack what a committed `.gitignore` ignores, but nothing that only the agent's own one ignores", async () => {
    const place = repository();
    const { root, git, state } = place;
    put(root, "dist/out.js", BAD);
    put(root, "key.local", "x");
    expect((await state()).differs).toEqual([]);
    put(root, "src/hidden.js", BAD);
    put(root, "src/.gitignore", "*\n");
    expect((await state()).differs).toEqual([
      "src/.gitignore (not in the commit)",
      "src/hidden.js (not in the commit)",
    ]);
    rmSync(join(root, "src/.gitignore"));
    put(root, ".git/info/exclude", "hidden.js\n");
    git("config", "core.excludesFile", join(root, ".git/info/exclude"));
    expect((await state()).differs).toEqual(["src/hidden.js (not in the commit)"]);
    rmSync(join(root, "src/hidden.js"));
    put(root, ":(glob)x.local", BAD);
    expect((await state()).differs).toEqual([]);
    rmSync(join(root, ":(glob)x.local"));
    put(root, "SRC.LOCAL", BAD);
    git("config", "core.ignoreCase", "true");
    expect((await state()).differs).toEqual(["SRC.LOCAL (not in the commit)"]);
  });

  it("keeps files outside the tree separate, and reads files that no agent may write from disk", async () => {
    const place = repository({
      ...FILES,
      "workflow.yaml": "a: 1\n",
      "node_modules/a/index.js": GOOD,
      ".bylaw/policy.toml": "x = 1\n",
    });
    const { root, git, state } = place;
    const begun = await state();
    expect(begun.differs).toEqual([]);
    for (const path of ["node_modules/a/index.js", ".bylaw/policy.toml"]) {
      put(root, path, BAD);
      commitAll(place);
      const { differs, apart } = await state();
      expect([path, differs, apart === begun.apart]).toEqual([path, [], false]);
      git("reset", "--quiet", "--hard", "HEAD~1");
      expect((await state()).apart).toBe(begun.apart);
    }
    git(
      "update-index",
      "--cacheinfo",
      `100644,${git("hash-object", "-w", "src/add.js")},workflow.yaml`,
    );
    commit(place);
    expect((await state()).differs).toEqual(["workflow.yaml (another content)"]);
    git("reset", "--quiet", "--hard", "HEAD~1");
  });

  it("allows changes of Bylaw's own records, and reports new ones and files that only look like them", async () => {
    const records = { ".bylaw/log.jsonl": "{}\n", ".bylaw/events.db": "1", "audit.jsonl": "{}\n" };
    const more = { coordination: { event_bus: { type: "sqlite", db_path: ".bylaw/events.db" } } };
    const place = repository({ ...FILES, ...records, "src/.bylaw/impl.log": GOOD }, { more });
    const { root, git, state } = place;
    const begun = await state();
    expect(begun.differs).toEqual([]);
    for (const path of [".bylaw/log.jsonl", ".bylaw/events.db"]) {
      put(root, path, "{}\n{}\n");
      commitAll(place);
      put(root, path, "{}\n{}\n{}\n");
      expect(await state(), path).toMatchObject({ differs: [], apart: begun.apart });
    }
    const ways: readonly (readonly [string, () => void])[] = [
      [".bylaw/impl.log", () => put(root, ".bylaw/impl.log", BAD)],
      [".bylaw/events.db-wal", () => put(root, ".bylaw/events.db-wal", BAD)],
      // Code can be loaded under any name.
      ["src/.bylaw/impl.log", () => put(root, "src/.bylaw/impl.log", BAD)],
      [".bylaw/log.jsonl", () => chmodSync(join(root, ".bylaw/log.jsonl"), 0o755)],
    ];
    git("reset", "--quiet", "--hard");
    for (const [path, way] of ways) {
      way();
      git("add", "--all", "--force");
      commit(place);
      const { apart, apart_files } = await state();
      expect([path, apart === begun.apart, apart_files.includes(path)]).toEqual([
        path,
        false,
        true,
      ]);
      git("reset", "--quiet", "--hard", "HEAD~1");
      expect((await state()).apart).toBe(begun.apart);
    }
    // A link is no record.
    rmSync(join(root, ".bylaw/log.jsonl"));
    symlinkSync("../src/add.js", join(root, ".bylaw/log.jsonl"));
    commitAll(place);
    const { apart } = await state();
    rmSync(join(root, ".bylaw/log.jsonl"));
    symlinkSync("../package.json", join(root, ".bylaw/log.jsonl"));
    commitAll(place);
    expect((await state()).apart).not.toBe(apart);
  });

  it("may lack what a `.gitignore` above the workspace ignores, as long as it is the committed one", async () => {
    const ignores = "*.local\n";
    const place = repository(
      { "one/src/add.js": GOOD, ".gitignore": ignores, "one/.gitignore": "dist/\n" },
      { inside: "one" },
    );
    const { root, git, state } = place;
    put(root, "one/key.local", "x");
    put(root, "one/dist/a.js", "x");
    expect((await state()).differs).toEqual([]);
    put(root, "one/hidden.js", BAD);
    expect((await state()).differs).toEqual(["hidden.js (not in the commit)"]);
    put(root, ".gitignore", `${ignores}hidden.js\n`);
    expect((await state()).differs).toEqual([
      "hidden.js (not in the commit)",
      "key.local (not in the commit)",
    ]);
    git("add", ".gitignore");
    expect((await state()).differs).toHaveLength(2);
    // Committing it changes the digest of the files outside the workspace.
    const { apart } = await state();
    commit(place);
    const later = await state();
    expect([later.differs, later.apart === apart]).toEqual([[], false]);
  });

  it("differs from a workspace in which something is not checked out", async () => {
    const place = repository();
    const { root, git, state } = place;
    git("update-index", "--skip-worktree", "src/add.js");
    rmSync(join(root, "src/add.js"));
    const begun = await state();
    expect(begun.differs).toEqual([]);
    put(root, "package.json", '{"a":1}\n');
    git("add", "package.json");
    commit(place);
    expect(await state()).toMatchObject({ differs: [], apart: begun.apart });
    rmSync(join(root, "package.json"));
    expect((await state()).apart).not.toBe(begun.apart);
  });
});

describe("an agent that writes to the repository", () => {
  it("cannot substitute an object by replacement, by grafts, or by a file with another object's name", async () => {
    const place = repository();
    const { root, git, state } = place;
    const begun = git("rev-parse", "HEAD");
    put(root, "src/add.js", BAD);
    commitAll(place, "bad");
    put(root, "src/add.js", GOOD);
    const bad = git("rev-parse", "HEAD");
    git("replace", bad, begun);
    expect(git("show", "HEAD:src/add.js")).toBe(GOOD.trim());
    expect((await state()).differs).toEqual(["src/add.js (another content)"]);
    git("replace", "--delete", bad);
    put(root, ".git/info/grafts", `${bad}\n`);
    expect((await state()).differs).toEqual(["src/add.js (another content)"]);
    git("reset", "--quiet", "--hard", begun);

    // The id of the good content, but with other content.
    const id = git("rev-parse", "HEAD:src/add.js");
    const file = join(root, ".git/objects", id.slice(0, 2), id.slice(2));
    chmodSync(file, 0o644);
    writeFileSync(file, deflateSync(Buffer.from(`blob ${BAD.length}\0${BAD}`)));
    expect(git("cat-file", "-p", id)).toBe(BAD.trim());
    const seen = await state().then(
      ({ differs }) => differs,
      (error: unknown) => [(error as { readonly code: string }).code],
    );
    expect(["src/add.js (another content)", "BYLAW_REPOSITORY_UNREADABLE"]).toContain(seen[0]);
    rmSync(file);
    await expect(state()).rejects.toFailWith("BYLAW_REPOSITORY_UNREADABLE");
  });

  it("runs no program or hook by being read", async () => {
    const place = repository({
      ...FILES,
      ".gitattributes": "* filter=own diff=own\n*.js text eol=crlf ident\n",
    });
    const { root, git, state } = place;
    const mark = join(folder(), "mark");
    // Remove an object, which git might try to fetch.
    const id = git("rev-parse", "HEAD:package.json");
    rmSync(join(root, ".git/objects", id.slice(0, 2), id.slice(2)));
    const program = join(root, ".git/own.sh");
    writeFileSync(program, `#!/bin/sh\ntouch ${mark}\ncat\n`, { mode: 0o755 });
    for (const name of readCases<string>(import.meta, "core-programs"))
      git("config", name, program);
    for (const name of readCases<string>(import.meta, "other-programs"))
      git("config", name, program);
    git("config", "alias.ls-tree", `!${program}`);
    git("config", "core.hooksPath", join(root, ".git"));
    git("config", "core.worktree", "/");
    git("config", "remote.origin.url", `ext::${program}`);
    git("config", "remote.origin.promisor", "true");
    git("config", "extensions.partialClone", "origin");
    for (const hook of ["post-index-change", "reference-transaction", "post-checkout"])
      cpSync(program, join(root, ".git/hooks", hook));
    await expect(state()).rejects.toFailWith("BYLAW_REPOSITORY_UNREADABLE");
    expect(existsSync(mark)).toBe(false);
    writeFileSync(
      join(root, ".git/objects", id.slice(0, 2), id.slice(2)),
      deflateSync(Buffer.from("blob 3\0{}\n")),
    );
    expect((await state()).differs).toEqual([]);
    put(root, "new.js", GOOD);
    expect((await state()).differs).toEqual(["new.js (not in the commit)"]);
    expect(existsSync(mark)).toBe(false);
  });

  it("gains nothing from the environment of the host, another index, or flags in the index", async () => {
    const place = repository();
    const { root, git, state } = place;
    git("update-index", "--assume-unchanged", "src/add.js");
    git("update-index", "--split-index");
    put(root, "src/add.js", BAD);
    git("update-index", "--no-assume-unchanged", "src/add.js");
    git("add", "src/add.js");
    commit(place);
    put(root, "src/add.js", GOOD);
    git("update-index", "--assume-unchanged", "src/add.js");
    const other = repository().root;
    const names = {
      GIT_DIR: join(other, ".git"),
      GIT_OBJECT_DIRECTORY: join(other, ".git/objects"),
      GIT_INDEX_FILE: "/nowhere",
    };
    const before = { ...process.env };
    try {
      Object.assign(process.env, names, {
        GIT_CONFIG_COUNT: "1",
        GIT_CONFIG_KEY_0: "core.bare",
        GIT_CONFIG_VALUE_0: "true",
      });
      expect(await state()).toMatchObject({ differs: ["src/add.js (another content)"] });
    } finally {
      for (const name of [
        ...Object.keys(names),
        "GIT_CONFIG_COUNT",
        "GIT_CONFIG_KEY_0",
        "GIT_CONFIG_VALUE_0",
      ])
        delete process.env[name];
    }
    expect(process.env).toEqual(before);
    git("repack", "-adq");
    expect(readdirSync(join(root, ".git/objects/pack")).length).toBeGreaterThan(0);
    expect((await state()).differs).toEqual(["src/add.js (another content)"]);
  });

  it("hides nothing in names that differ only in case, or in a branch that is named like a commit", async () => {
    const place = repository();
    const { git, state } = place;
    const bad = gitIn(place.root, ["hash-object", "-w", "package.json"]);
    const begun = await state();
    git("update-index", "--add", "--cacheinfo", `100644,${bad},SRC/ADD.JS`);
    commit(place);
    const later = await state();
    expect([later.differs, later.apart === begun.apart]).toEqual([[], false]);
    git("reset", "--quiet", "--hard", "HEAD~1");
    const head = git("rev-parse", "HEAD");
    put(place.root, "src/add.js", BAD);
    git("commit", "--quiet", "--all", "--message=bad");
    put(place.root, "src/add.js", GOOD);
    git("update-ref", "refs/heads/HEAD", head);
    git("update-ref", `refs/heads/${git("rev-parse", "HEAD")}`, head);
    expect((await state()).differs).toEqual(["src/add.js (another content)"]);
  });

  it("is compared with the real repository: a linked work tree, a file instead of a folder, another object store", async () => {
    const place = repository();
    const { root, git } = place;
    const tree = join(folder(), "linked");
    git("worktree", "add", "--quiet", "-b", "side", tree);
    expect(statSync(join(tree, ".git")).isFile()).toBe(true);
    const contract = contractAt(join(tree, "workflow.yaml"));
    const state = async (): Promise<CommitState> =>
      commitState(contract, await contractTree(contract, tree));
    expect(await state()).toMatchObject({ head: git("rev-parse", "side"), differs: [] });
    put(tree, "src/add.js", BAD);
    gitIn(tree, ["commit", "--quiet", "--all", "--message=bad"]);
    put(tree, "src/add.js", GOOD);
    expect((await state()).differs).toEqual(["src/add.js (another content)"]);
    // Move the objects elsewhere.
    const objects = join(folder(), "objects");
    renameSync(join(root, ".git/objects"), objects);
    mkdirSync(join(root, ".git/objects/info"), { recursive: true });
    await expect(state()).rejects.toFailWith("BYLAW_REPOSITORY_UNREADABLE");
    put(root, ".git/objects/info/alternates", `${objects}\n`);
    expect((await state()).differs).toEqual(["src/add.js (another content)"]);
    put(tree, ".git", "gitdir: /nowhere\n");
    await expect(state()).rejects.toFailWith("BYLAW_REPOSITORY_UNREADABLE");
  });

  it("is also compared inside submodules", async () => {
    const inner = repository({ "lib.js": GOOD });
    const place = repository();
    const { root, git, state } = place;
    git("submodule", "--quiet", "add", inner.root, "vendor");
    commit(place);
    expect((await state()).differs).toEqual([]);
    put(root, "vendor/lib.js", BAD);
    expect((await state()).differs).toEqual(["vendor/lib.js (another content)"]);
    gitIn(join(root, "vendor"), ["commit", "--quiet", "--all", "--message=bad"]);
    // The outer commit still has the old submodule commit.
    expect((await state()).differs).toEqual(["vendor/lib.js (another content)"]);
    git("add", "vendor");
    commit(place);
    expect((await state()).differs).toEqual([]);
    rmSync(join(root, "vendor/.git"));
    expect((await state()).differs).toEqual(["vendor (a submodule that is not a repository)"]);
  });
});

it("a test run names the commit that was checked out when it began", async () => {
  const place = repository({ "a.js": "console.log('1..1\\nok 1 - a');\n" });
  const contract = contractAt(join(place.root, "workflow.yaml"), {
    test_command: { argv: [NODE, "a.js"], format: "tap" },
  });
  const run = { record: async () => [] };
  const observed = async (): Promise<unknown> =>
    (await observeTests(run, contract, { task: "t1", workspace: place.root })).evidence.head;
  expect(await observed()).toBe(place.git("rev-parse", "HEAD"));
  expect(readFileSync(join(place.root, ".git/HEAD"), "utf8")).toBe("ref: refs/heads/main\n");
  put(place.root, ".git/HEAD", "nothing that is known\n");
  expect(await observed()).toBeUndefined();
  rmSync(join(place.root, ".git"), { recursive: true });
  expect(await observed()).toBeNull();
});

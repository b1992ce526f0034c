import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import {
  createKernel,
  defineRuleset,
  type Config,
  type Decision,
  type Plugin,
} from "@bylaw/kernel";
import { readCases, temporaryFolder } from "@bylaw/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { policy, policyWarnings } from "../src/index.ts";
import { systemPlaces, type Places } from "../src/places.ts";
import { createPolicyPlugin } from "../src/policy-plugin.ts";
import { call, refused, rule } from "./kit.ts";

// Only root can create files that belong to root or to other users.
const isRoot = process.getuid?.() === 0;
const STRANGER = 54_321;

let folder = "";
let places: Places;
beforeEach(() => {
  folder = temporaryFolder();
  chmodSync(folder, 0o755);
  places = {
    admin: join(folder, "etc/bylaw"),
    defaults: join(folder, "usr/bylaw"),
    user: () => join(folder, "home/bylaw"),
  };
});

function write(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  mkdirSync(join(path, ".."), { recursive: true, mode: 0o755 });
  writeFileSync(path, content, { mode: 0o644 });
  return path;
}
const found = createPolicyPlugin(() => places);
const kernelOf = (...plugins: readonly Plugin[]) =>
  createKernel({ plugins }, { configFile: join(folder, "w/bylaw.config.ts") });
const decide = (one = call("t"), ...plugins: readonly Plugin[]): Decision =>
  kernelOf(...plugins).decide(one) as Decision;
const t = (name: string, action: string, more = ""): string =>
  rule(name, action, `tool = "t"\n${more}`);

describe.runIf(isRoot)("files of the admin (as root, which alone can create them)", () => {
  const own = (): Plugin => found({ text: t("own", "allow", 'priority = "user"') });
  test("apply in addition to everything that a configuration names, at the admin's tier", () => {
    const file = write("etc/bylaw/rules.toml", t("no-t", "deny"));
    expect(decide(call("t"), own())).toMatchObject({
      effect: "deny",
      rule: { name: "no-t", file, line: 1 },
    });
    write("w/p.toml", t("own", "allow"));
    expect(decide(call("t"), found({ files: ["p.toml"], operator: true })).rule?.name).toBe("no-t");
  });
  test("are read once for all uses of the plugin, and again for every kernel", () => {
    write("etc/bylaw/a.toml", t("no-t", "deny"));
    const kernel = kernelOf(own(), found({ text: rule("u", "allow", 'tool = "u"') }));
    expect(kernel.decide(call("t"))).toMatchObject({ effect: "deny", votes: { length: 1 } });
    write("etc/bylaw/b.toml", rule("no-u", "deny", 'tool = "u"'));
    expect(decide(call("u"), own()).rule?.name).toBe("no-u");
    expect(kernelOf(own()).policy).not.toEqual(kernel.policy);
  });
  test("keep their stated tier, and an allow states its tier itself", () => {
    write(
      "etc/bylaw/a.toml",
      t("soft", "deny", 'priority = "default"') + rule("u", "allow", 'tool = "u"'),
    );
    expect(decide(call("t"), own()).effect).toBe("allow");
    expect(
      decide(call("u"), found({ text: rule("no-u", "deny", 'tool = "u"\npriority = "workspace"') }))
        .effect,
    ).toBe("deny");
    write("etc/bylaw/a.toml", rule("u", "allow", 'tool = "u"\npriority = "admin"'));
    expect(
      decide(call("u"), found({ text: rule("no-u", "deny", 'tool = "u"\npriority = "user"') }))
        .effect,
    ).toBe("allow");
  });
  test("are out of reach of `without`, also under the name of a rule that it may exclude", () => {
    write("etc/bylaw/a.toml", t("same", "deny"));
    const base = defineRuleset({ name: "@x/base", plugins: [found({ text: t("same", "deny") })] });
    const config: Config = { extends: [base], without: ["@bylaw/plugin-policy/same"] };
    expect(createKernel(config).decide(call("t"))).toMatchObject({
      effect: "deny",
      rule: { name: "same" },
    });
    const other = defineRuleset({ name: "@x/other", plugins: [found({ text: "" })] });
    expect(
      refused(() => createKernel({ extends: [other], without: ["@bylaw/plugin-policy/same"] }))
        .code,
    ).toBe("BYLAW_WITHOUT_UNMATCHED");
  });
  test("are ignored by `discover: none`, good or bad", () => {
    write("etc/bylaw/a.toml", "broken");
    expect(decide(call("t"), found({ text: t("own", "allow"), discover: "none" })).effect).toBe(
      "allow",
    );
  });
  test("may lie behind links inside their folder, like a mounted volume", () => {
    write("etc/bylaw/..data_1/a.toml", t("no-t", "deny"));
    symlinkSync("..data_1", join(folder, "etc/bylaw/..data"));
    symlinkSync("..data/a.toml", join(folder, "etc/bylaw/a.toml"));
    expect(decide(call("t"), own()).rule?.name).toBe("no-t");
    chmodSync(join(folder, "etc/bylaw/..data_1"), 0o777);
    expect(refused(() => kernelOf(own())).code).toBe("BYLAW_POLICY_UNTRUSTED");
  });
  test("may lie below a sticky folder, in which nobody can replace files of others", () => {
    write("etc/bylaw/a.toml", t("no-t", "deny"));
    chmodSync(join(folder, "etc"), 0o1777);
    expect(decide(call("t"), own()).rule?.name).toBe("no-t");
  });
  test.each<[what: string, spoil: () => void, message: RegExp]>([
    [
      "a file of somebody else",
      () => chownSync(join(folder, "etc/bylaw/a.toml"), STRANGER, 0),
      /owner 54321 of `.*a\.toml`/,
    ],
    [
      "a file that its group can write",
      () => chmodSync(join(folder, "etc/bylaw/a.toml"), 0o664),
      /mode 0664 of `.*a\.toml`/,
    ],
    [
      "a file that everybody can write",
      () => chmodSync(join(folder, "etc/bylaw/a.toml"), 0o646),
      /mode 0646 of `.*a\.toml`/,
    ],
    [
      "a folder of somebody else",
      () => chownSync(join(folder, "etc/bylaw"), STRANGER, 0),
      /owner 54321 of `.*bylaw`/,
    ],
    [
      "a folder that its group can write",
      () => chmodSync(join(folder, "etc/bylaw"), 0o775),
      /mode 0775 of `.*bylaw`/,
    ],
    [
      "a sticky folder that everybody can write",
      () => chmodSync(join(folder, "etc/bylaw"), 0o1777),
      /mode 1777 of `.*bylaw`/,
    ],
    [
      "a parent of somebody else",
      () => chownSync(join(folder, "etc"), STRANGER, 0),
      /owner 54321 of `.*etc`/,
    ],
    [
      "a parent that everybody can write",
      () => chmodSync(join(folder, "etc"), 0o777),
      /mode 0777 of `.*etc`/,
    ],
    ["a parent far above", () => chmodSync(folder, 0o757), /mode 0757/],
    [
      "a file behind a link to another folder",
      () =>
        symlinkSync(write("elsewhere/b.toml", t("b", "allow")), join(folder, "etc/bylaw/b.toml")),
      /link to `.*elsewhere\/b\.toml`/,
    ],
    [
      "a link out of the folder and back",
      () => {
        symlinkSync(join(folder, "etc/bylaw"), join(folder, "hop"));
        symlinkSync(join(folder, "hop/a.toml"), join(folder, "etc/bylaw/b.toml"));
      },
      /link `.*hop` on the way/,
    ],
    [
      "a link of somebody else",
      () => {
        symlinkSync("a.toml", join(folder, "etc/bylaw/b.toml"));
        execFileSync("chown", ["-h", String(STRANGER), join(folder, "etc/bylaw/b.toml")]);
      },
      /owner 54321 of `.*b\.toml`/,
    ],
    [
      "a link to nothing",
      () => symlinkSync("none.toml", join(folder, "etc/bylaw/b.toml")),
      /cannot be inspected/,
    ],
    [
      "a loop of links",
      () => symlinkSync("b.toml", join(folder, "etc/bylaw/b.toml")),
      /loop of links/,
    ],
    [
      "a folder that is a link",
      () => {
        renameSync(join(folder, "etc/bylaw"), join(folder, "etc/real"));
        symlinkSync("real", join(folder, "etc/bylaw"));
      },
      /link `.*bylaw` on the way/,
    ],
    [
      "a parent that is a link",
      () => {
        renameSync(join(folder, "etc"), join(folder, "real"));
        symlinkSync("real", join(folder, "etc"));
      },
      /link `.*etc` on the way/,
    ],
  ])("%s: no kernel", (_, spoil, message) => {
    write("etc/bylaw/a.toml", t("no-t", "deny"));
    expect(decide(call("t"), own()).effect).toBe("deny");
    spoil();
    const error = refused(() => kernelOf(own()));
    expect(error.code).toBe("BYLAW_POLICY_UNTRUSTED");
    expect(error.message).toMatch(message);
    expect(error.fix).toBeTruthy();
  });
  test("an empty folder that others can write is refused too, because a file could appear at any time", () => {
    mkdirSync(places.admin, { recursive: true });
    expect(kernelOf(own())).toBeDefined();
    chmodSync(places.admin, 0o777);
    expect(refused(() => kernelOf(own())).code).toBe("BYLAW_POLICY_UNTRUSTED");
  });
  test.each<[what: string, make: () => unknown, code: string, message: RegExp]>([
    [
      "a mistake",
      () => write("etc/bylaw/b.toml", t("b", "alow")),
      "BYLAW_POLICY_INVALID",
      /b\.toml:3:1/,
    ],
    [
      "bytes that are not UTF-8",
      () => write("etc/bylaw/b.toml", Buffer.from([0xff])),
      "BYLAW_POLICY_UNREADABLE",
      /is not UTF-8/,
    ],
    [
      "a folder with the name of a file",
      () => write("etc/bylaw/b.toml/c.toml", ""),
      "BYLAW_POLICY_UNREADABLE",
      /folder/,
    ],
    [
      "a pipe",
      () => execFileSync("mkfifo", ["-m", "644", join(folder, "etc/bylaw/b.toml")]),
      "BYLAW_POLICY_UNREADABLE",
      /pipe/,
    ],
    [
      "a name that only looks like one",
      () => write("etc/bylaw/b.TOML", ""),
      "BYLAW_POLICY_UNREADABLE",
      /`b\.TOML`/,
    ],
    [
      "a file in the place of the folder",
      () => {
        rmSync(places.admin, { recursive: true });
        write("etc/bylaw", "");
      },
      "BYLAW_POLICY_UNREADABLE",
      /ENOTDIR/,
    ],
  ])("%s next to a good file: no kernel", (_, make, code, message) => {
    write("etc/bylaw/a.toml", t("no-t", "deny"));
    make();
    expect(refused(() => kernelOf(own()))).toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
  });
  test("other names and subfolders are no policies", () => {
    write("etc/bylaw/README.md", "# not a policy");
    write("etc/bylaw/old/a.toml", t("old", "deny"));
    write("etc/bylaw/.a.toml.swp", "");
    expect(decide(call("t"), own()).effect).toBe("allow");
  });
});

test.skipIf(isRoot)(
  "files in the admin's folder that are not root's: no kernel (root creates no such file by itself)",
  () => {
    write("etc/bylaw/a.toml", t("no-t", "deny"));
    expect(refused(() => kernelOf(found({ text: "" }))).code).toBe("BYLAW_POLICY_UNTRUSTED");
  },
);
test.skipIf(isRoot)(
  "an unreadable folder of the admin: no kernel (root can read everything)",
  () => {
    mkdirSync(places.admin, { recursive: true });
    chmodSync(join(folder, "etc"), 0);
    try {
      expect(refused(() => kernelOf(found({ text: "" }))).code).toMatch(
        /^BYLAW_POLICY_UN(READABLE|TRUSTED)$/,
      );
    } finally {
      chmodSync(join(folder, "etc"), 0o755);
    }
  },
);

describe("the places of a system", () => {
  afterEach(() => {
    if (before === undefined) delete process.env["XDG_CONFIG_HOME"];
    else process.env["XDG_CONFIG_HOME"] = before;
  });
  const before = process.env["XDG_CONFIG_HOME"];
  test("of the admin are fixed, whatever the environment says", () => {
    const fixed = (): readonly string[] =>
      (["linux", "darwin", "win32"] as const).map((platform) => systemPlaces(platform).admin);
    const wanted = fixed();
    expect(wanted).toEqual([
      "/etc/bylaw",
      "/Library/Application Support/Bylaw",
      "C:\\ProgramData\\Bylaw",
    ]);
    const saved = { ...process.env };
    try {
      for (const name of readCases<string>(import.meta, "variables")) process.env[name] = folder;
      expect(fixed()).toEqual(wanted);
    } finally {
      process.env = saved;
    }
  });
  test("of the user follow XDG_CONFIG_HOME if it is absolute", () => {
    delete process.env["XDG_CONFIG_HOME"];
    expect(systemPlaces("linux").user()).toBe(join(homedir(), ".config/bylaw"));
    process.env["XDG_CONFIG_HOME"] = "relative";
    expect(systemPlaces("linux").user()).toBe(join(homedir(), ".config/bylaw"));
    process.env["XDG_CONFIG_HOME"] = folder;
    expect(systemPlaces("linux").user()).toBe(join(folder, "bylaw"));
  });
  test("are where the plugin itself looks", () => {
    process.env["XDG_CONFIG_HOME"] = join(folder, "xdg");
    const file = write("xdg/bylaw/mine.toml", t("mine", "deny"));
    expect(decide(call("t"), policy({ discover: "all" }))).toMatchObject({
      effect: "deny",
      rule: { name: "mine", file },
    });
    expect(decide(call("t"), policy({ text: "" })).code).toBe("fallback");
  });
});

describe("with `discover: all`", () => {
  const all = (options: Parameters<typeof found>[0] = {}): Plugin =>
    found({ discover: "all", ...options });
  test("a user's rule counts as the user's, and an allow never as more", () => {
    write(
      "home/bylaw/mine.toml",
      t("mine", "deny") + rule("u", "allow", 'tool = "u"\npriority = "admin"'),
    );
    expect(
      decide(call("t"), all(), found({ text: t("base", "allow", 'priority = "workspace"') })).rule
        ?.name,
    ).toBe("mine");
    expect(decide(call("u"), all()).effect).toBe("allow");
    expect(
      decide(
        call("u"),
        all(),
        found({ text: rule("no-u", "deny", 'tool = "u"\npriority = "user"') }),
      ).effect,
    ).toBe("deny");
    expect(
      decide(
        call("u"),
        all(),
        found({ text: rule("no-u", "deny", 'tool = "u"\npriority = "workspace"') }),
      ).effect,
    ).toBe("allow");
  });
  test("a user's rule may be stricter at the admin's tier", () => {
    write("home/bylaw/mine.toml", t("mine", "deny", 'priority = "admin"'));
    expect(
      decide(call("t"), all(), found({ text: t("own", "allow", 'priority = "admin"') })).rule?.name,
    ).toBe("mine");
  });
  test("every file in the workspace's folder counts, and an allow at most as the workspace's, whoever vouches for it", () => {
    write("w/.bylaw/a.toml", t("a", "allow", 'priority = "admin"'));
    write("w/.bylaw/b.toml", rule("b", "deny", 'tool = "u"'));
    expect(decide(call("t"), all()).rule).toEqual({ name: "a", file: ".bylaw/a.toml", line: 1 });
    expect(decide(call("u"), all()).rule?.name).toBe("b");
    const ask = found({ text: t("ask", "ask_user", 'priority = "user"') });
    expect(decide(call("t"), all({ operator: true }), ask).rule?.name).toBe("ask");
    expect(
      decide(call("t"), all({ operator: true, files: [".bylaw/a.toml"] }), ask).rule?.name,
    ).toBe("a");
  });
  test("a default allow of the workspace is left out", () => {
    write("w/.bylaw/a.toml", 'default = "allow"\n');
    expect(decide(call("t"), all())).toMatchObject({ effect: "ask_user", code: "fallback" });
  });
  test("a link in the workspace does not take the tier of its target", () => {
    write("elsewhere/a.toml", t("a", "allow", 'priority = "admin"'));
    mkdirSync(join(folder, "w/.bylaw"), { recursive: true });
    symlinkSync(join(folder, "elsewhere/a.toml"), join(folder, "w/.bylaw/a.toml"));
    expect(
      decide(call("t"), all(), found({ text: t("ask", "ask_user", 'priority = "user"') })).rule
        ?.name,
    ).toBe("ask");
  });
  test("a user's folder inside the workspace counts as one that agents can write", () => {
    places = { ...places, user: () => join(folder, "w/.config/bylaw") };
    write("w/.config/bylaw/mine.toml", t("mine", "allow", 'priority = "user"'));
    expect(
      decide(call("t"), all(), found({ text: t("ask", "ask_user", 'priority = "user"') })).rule
        ?.name,
    ).toBe("ask");
    const edit = call(
      "write_file",
      { path: ".config/bylaw/new.toml", content: "" },
      { approval_mode: "autoEdit", cwd: join(folder, "w"), workspace: join(folder, "w") },
    );
    expect(decide(edit, all()).effect).toBe("ask_user");
    expect(decide({ ...edit, args: { path: "src/new.ts", content: "" } }, all()).effect).toBe(
      "allow",
    );
  });
  test.runIf(isRoot)("policies of the system count as default (as root, who must own them)", () => {
    write("usr/bylaw/base.toml", t("base", "allow", 'priority = "admin"'));
    expect(decide(call("t"), all()).effect).toBe("allow");
    expect(
      decide(call("t"), all(), found({ text: t("no", "deny", 'priority = "workspace"') })).effect,
    ).toBe("deny");
    expect(decide(call("t"), found({ text: "" })).code).toBe("fallback");
    chmodSync(join(folder, "usr/bylaw/base.toml"), 0o666);
    expect(refused(() => kernelOf(all())).code).toBe("BYLAW_POLICY_UNTRUSTED");
  });
  test("a user's file that everybody can write: no kernel", () => {
    const file = write("home/bylaw/mine.toml", t("mine", "allow"));
    chmodSync(file, 0o664);
    expect(decide(call("t"), all()).effect).toBe("allow");
    chmodSync(file, 0o666);
    expect(refused(() => kernelOf(all()))).toMatchObject({
      code: "BYLAW_POLICY_UNTRUSTED",
      fix: expect.stringContaining("chmod o-w"),
    });
  });
  test.runIf(isRoot)("a file of another user: no kernel (only root can give files away)", () => {
    chownSync(write("home/bylaw/mine.toml", t("mine", "allow")), STRANGER, STRANGER);
    expect(refused(() => kernelOf(all())).message).toContain("owner 54321");
  });
  test("a user's links may lead to where the user keeps the files", () => {
    symlinkSync(write("dotfiles/mine.toml", t("mine", "allow")), join(folder, "home-link"));
    mkdirSync(join(folder, "home/bylaw"), { recursive: true });
    symlinkSync(join(folder, "home-link"), join(folder, "home/bylaw/mine.toml"));
    expect(decide(call("t"), all()).rule?.name).toBe("mine");
    chmodSync(join(folder, "dotfiles"), 0o777);
    expect(refused(() => kernelOf(all())).code).toBe("BYLAW_POLICY_UNTRUSTED");
  });
  test("finding nothing at all is an error, unless something is named", () => {
    expect(refused(() => kernelOf(all()))).toMatchObject({
      code: "BYLAW_POLICY_MISSING",
      fix: expect.stringContaining(".bylaw/policy.toml"),
    });
    expect(decide(call("t"), all({ text: t("own", "deny") })).rule?.name).toBe("own");
  });
});

test("warnings cover found files too", () => {
  const saved = process.env["XDG_CONFIG_HOME"];
  process.env["XDG_CONFIG_HOME"] = join(folder, "home");
  try {
    const file = write("home/bylaw/mine.toml", t("mine", "allow", 'priority = "admin"'));
    const { options } = policy({ discover: "all" });
    expect(
      policyWarnings({ options: options as never, configFile: join(folder, "w/bylaw.config.ts") }),
    ).toMatchObject([
      {
        file,
        line: 5,
        severity: "warning",
        message: expect.stringContaining("counts as priority `user`"),
      },
    ]);
  } finally {
    if (saved === undefined) delete process.env["XDG_CONFIG_HOME"];
    else process.env["XDG_CONFIG_HOME"] = saved;
  }
});

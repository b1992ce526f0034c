import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { COMPLETED_PHASE } from "@bylaw/contract";
import { createMemoryStore } from "@bylaw/log";
import { temporaryFolder } from "@bylaw/testing";
import { waiveCheck } from "../src/index.ts";
import { TEXT, bench, reviewed, type Bench, type BenchOptions } from "./kit.ts";

const CODE = "export const greet = (name) => `Hello ${name}`;\n";
const BAD = `${CODE}// and a backdoor\n`;
const HEAD = "a".repeat(40);

interface Place extends Bench {
  readonly git: (...args: readonly string[]) => string;
  /** Commits everything, with another text in place of the code, which is then restored in the workspace. */
  readonly commit: (code?: string) => string;
}

async function place(options: BenchOptions = {}): Promise<Place> {
  const folder = options.folder ?? temporaryFolder();
  const git: Place["git"] = (...args) =>
    execFileSync("git", ["-c", "user.name=Ann", "-c", "user.email=ann@example.org", ...args], {
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  const made = await bench({ ...options, folder });
  const commit: Place["commit"] = (code = CODE) => {
    made.put("src/a.js", code);
    git("add", "--all");
    git("commit", "--quiet", "--allow-empty", "--message=work");
    made.put("src/a.js", CODE);
    return git("rev-parse", "HEAD");
  };
  return { ...made, git, commit };
}

/** With a repository in which everything is committed when the task begins. */
async function began(options: BenchOptions = {}): Promise<Place> {
  const made = await place(options);
  made.git("init", "--quiet", "--initial-branch=main");
  made.git("add", "--all");
  made.git("commit", "--quiet", "--message=begin");
  return made;
}

async function inComplete(made: Place): Promise<void> {
  await made.goTo("REVIEW");
  await made.review();
  await made.ask("COMPLETE", reviewed);
  await made.approve("review_approved", "Rita", "review_agent");
  expect((await made.ask("COMPLETE", reviewed)).decision.effect).toBe("allow");
}

/** Continues from the tests to the end. */
async function toTheEnd(made: Place): Promise<void> {
  await made.goTo("REVIEW", { from: "TDD" });
  await made.review();
  await made.ask("COMPLETE", reviewed);
  await made.approve("review_approved", "Rita", "review_agent");
  await made.ask("COMPLETE", reviewed);
}

const UNTESTED = ["gate_stale commit_tested"];
const REASON =
  "The line that differs was written by me, and legal wants it in the release of today.";

describe("what is committed", () => {
  it("must be what was tested, or the task does not end, and the record names the commit", async () => {
    const store = createMemoryStore();
    const made = await began({ store });
    const { ask, put, git, commit } = made;
    const begun = git("rev-parse", "HEAD");
    await inComplete(made);
    put("src/a.js", BAD);
    git("add", "--all");
    put("src/a.js", CODE);
    git("commit", "--quiet", "--message=bad");
    const { blocked, text, decision } = await ask(COMPLETED_PHASE, {});
    expect([decision.code, blocked]).toEqual(["gate_stale", UNTESTED]);
    expect(text).toMatch(
      /1 file\(s\) in commit [0-9a-f]{12} differ from what was tested: `src\/a\.js \(another content\)`/,
    );
    const good = commit();
    expect((await ask(COMPLETED_PHASE, {})).decision.effect).toBe("allow");
    const events = await store.events("r1", 0, 1_000);
    const heads = events
      .filter(({ event_type }) => event_type === "phase_entered")
      .map(({ details }) => details["commit"]);
    expect(heads).toEqual([
      { head: begun, apart: expect.any(String) as string },
      ...Array.from({ length: 4 }),
      { head: good, apart: expect.any(String) as string },
    ]);
  });

  it("is compared with the tests even if it was committed before they ran, in any phase", async () => {
    for (const phase of ["PLAN", "TDD", "IMPL", "REVIEW"]) {
      const made = await began();
      await made.goTo("REVIEW", {
        entered: (entered) => {
          if (entered === phase) made.commit(BAD);
          if (entered === phase && phase !== "REVIEW")
            rmSync(join(made.folder, "src"), { recursive: true });
        },
      });
      await made.review();
      await made.ask("COMPLETE", reviewed);
      await made.approve("review_approved", "Rita", "review_agent");
      expect((await made.ask("COMPLETE", reviewed)).decision.effect, phase).toBe("allow");
      expect((await made.ask(COMPLETED_PHASE, {})).blocked, phase).toEqual(UNTESTED);
      made.commit();
      expect((await made.ask(COMPLETED_PHASE, {})).decision.effect, phase).toBe("allow");
    }
  });

  it("may be empty: a later commit takes what is in the workspace", async () => {
    const made = await began();
    await inComplete(made);
    expect((await made.ask(COMPLETED_PHASE, {})).decision.effect).toBe("allow");
    const without = await place();
    await inComplete(without);
    expect((await without.ask(COMPLETED_PHASE, {})).decision.effect).toBe("allow");
  });

  it("must not contain a new log of Bylaw, which looks like code, and the fix says how to remove it", async () => {
    const made = await began();
    await inComplete(made);
    made.put(".bylaw/logs/r1.jsonl", "{}\n");
    made.commit();
    const { decision, blocked } = await made.ask(COMPLETED_PHASE, {});
    expect(blocked).toEqual(UNTESTED);
    expect(decision.fix).toMatch(/`git rm --cached`.*`\.gitignore` in `\.bylaw`/);
    made.git("rm", "--cached", "--quiet", ".bylaw/logs/r1.jsonl");
    made.put(".bylaw/.gitignore", "logs/\n.gitignore\n");
    made.commit();
    expect((await made.ask(COMPLETED_PHASE, {})).decision.effect).toBe("allow");
  });

  it("must be complete, without anything that the tests did not run on", async () => {
    const ways: readonly (readonly [string, (made: Place) => void, RegExp])[] = [
      [
        "a file too few",
        ({ git, commit }) => {
          commit();
          git("rm", "--cached", "--quiet", "src/a.js");
          git("commit", "--quiet", "--message=less");
        },
        /src\/a\.js \(not in the commit\)/,
      ],
      [
        "a file too many",
        ({ put, commit, folder }) => {
          put("src/more.js", BAD);
          commit();
          rmSync(join(folder, "src/more.js"));
        },
        /changes files that are not among those/,
      ],
      [
        "a file that no tree has",
        ({ put, commit }) => {
          put("node_modules/a/index.js", BAD);
          commit();
        },
        /changes files that are not among those .* it has `node_modules\/a\/index\.js`/,
      ],
      [
        "no commit at all",
        ({ folder }) => rmSync(join(folder, ".git"), { recursive: true }),
        /no longer checked out/,
      ],
      [
        "no repository that says anything",
        ({ put }) => put(".git/HEAD", "nonsense"),
        /cannot be relied|git/,
      ],
    ];
    for (const [name, way, because] of ways) {
      const made = await began();
      await inComplete(made);
      way(made);
      const { decision, text } = await made.ask(COMPLETED_PHASE, {});
      expect([name, decision.effect]).toEqual([name, "deny"]);
      expect(text, name).toMatch(because);
    }
  });

  it("is checked in a repository that was created later, and in one that replaced the first", async () => {
    const made = await place();
    await inComplete(made);
    made.git("init", "--quiet");
    made.commit(BAD);
    expect((await made.ask(COMPLETED_PHASE, {})).blocked).toEqual(UNTESTED);
    rmSync(join(made.folder, ".git"), { recursive: true });
    made.git("init", "--quiet");
    made.commit();
    expect((await made.ask(COMPLETED_PHASE, {})).decision.effect).toBe("allow");
  });

  it("is checked on leaving an earlier phase that commits", async () => {
    const text = TEXT.replace(
      "    allowed_tools: [read_files, grep]\n    auto_spawn:",
      "    allowed_tools: [read_files, grep, git_commit]\n    auto_spawn:",
    );
    expect(text).not.toBe(TEXT);
    const made = await began({ text });
    await made.goTo("REVIEW");
    await made.review();
    made.commit(BAD);
    expect((await made.ask("COMPLETE", reviewed)).blocked).toEqual(UNTESTED);
    // The refusal also says so to an agent that could go back.
    expect((await made.ask("IMPL", {})).decision.effect).toBe("allow");
  });

  it("may be waived by a person", async () => {
    const made = await began();
    await inComplete(made);
    made.commit(BAD);
    const waiver = {
      task: "t1",
      gate: "COMPLETE",
      check: "commit_tested",
      by: "Rita",
      role: "human",
      reason: REASON,
    };
    await expect(
      waiveCheck(made.run, { ...waiver, by: "ann", expires_at: "2026-01-02T00:00:00Z" }),
    ).rejects.toFailWith("BYLAW_EVENT_REFUSED");
    await waiveCheck(made.run, { ...waiver, expires_at: "2026-01-02T00:00:00Z" });
    const { decision, told } = await made.ask(COMPLETED_PHASE, {});
    expect([decision.effect, told]).toEqual(["allow", ["gate_waived commit_tested"]]);
  });

  it("is compared by its content if nothing could be read when the task began, whatever the first test run saw", async () => {
    for (const head of [undefined, HEAD, "now"]) {
      const made = await began();
      await made.ask("PLAN", {}, { host: { workspace: "/nowhere" } });
      await made.goTo("TDD", { from: "PLAN" });
      const bad = made.commit(BAD);
      const seen = head === "now" ? bad : head;
      await made.observe(
        { failed: ["greets", "greets nobody"] },
        seen === undefined ? {} : { head: seen },
      );
      await toTheEnd(made);
      expect((await made.ask(COMPLETED_PHASE, {})).blocked, head).toEqual(UNTESTED);
      made.commit();
      expect((await made.ask(COMPLETED_PHASE, {})).decision.effect, head).toBe("allow");
    }
  });

  it("is compared even if git failed when the task began and in each test run, and blocks at the end", async () => {
    const made = await began();
    const [head, now] = [join(made.folder, ".git/HEAD"), { head: undefined }];
    const whole = readFileSync(head, "utf8");
    writeFileSync(head, "nonsense");
    await made.goTo("TDD");
    await made.observe({ failed: ["greets", "greets nobody"] }, now);
    await toTheEnd(made);
    const unreadable = await made.ask(COMPLETED_PHASE, {});
    expect([unreadable.blocked, unreadable.text]).toEqual([
      ["gate_blocked commit_tested"],
      expect.stringContaining("git's answer"),
    ]);
    writeFileSync(head, whole);
    made.commit(BAD);
    expect((await made.ask(COMPLETED_PHASE, {})).blocked).toEqual(UNTESTED);
    made.commit();
    expect((await made.ask(COMPLETED_PHASE, {})).decision.effect).toBe("allow");
  });

  it("may not contain files outside any tree if nothing was read before, unless a person waives it", async () => {
    const made = await began();
    await made.ask("PLAN", {}, { host: { workspace: "/nowhere" } });
    await made.goTo("TDD", { from: "PLAN" });
    await made.observe({ failed: ["greets", "greets nobody"] });
    await toTheEnd(made);
    made.put("node_modules/a/index.js", BAD);
    made.commit();
    const { blocked, text } = await made.ask(COMPLETED_PHASE, {});
    expect([blocked, text]).toEqual([
      ["gate_blocked commit_tested"],
      expect.stringMatching(/nobody looked at .*node_modules\/a\/index\.js/i),
    ]);
    const waiver = {
      task: "t1",
      gate: "COMPLETE",
      check: "commit_tested",
      by: "Rita",
      role: "human",
      reason: REASON,
    };
    await waiveCheck(made.run, { ...waiver, expires_at: "2026-01-02T00:00:00Z" });
    expect((await made.ask(COMPLETED_PHASE, {})).decision.effect).toBe("allow");
  });
});

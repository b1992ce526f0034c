import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createKernel, type Kernel } from "@bylaw/kernel";
import { createMemoryStore, openRun, type Run } from "@bylaw/log";
import { temporaryFolder } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { policy } from "../src/index.ts";
import { call, refused, rule, run as shell } from "./kit.ts";

const PUBLISH = 'command = "npm publish *"';
const A = rule("publishing", "ask_user", PUBLISH);
const B = rule("publishing-b", "allow", PUBLISH);

/** A kernel in a folder with both versions. `common` are policies that are in no experiment. */
function kernelOf(
  { a = A, b = B, common = "", share = 1 } = {},
  more: Parameters<typeof policy>[0] = {},
): { readonly kernel: Kernel; readonly folder: string } {
  const folder = temporaryFolder();
  const path = (name: string): string => join(folder, name);
  for (const [name, text] of Object.entries({ a, b, common }))
    writeFileSync(path(`${name}.toml`), text);
  const kernel = createKernel({
    plugins: [
      policy({ files: [path("common.toml")], operator: true, discover: "none" }),
      policy({
        ...{ files: [path("a.toml")], operator: true, discover: "none", ...more },
        experiment: { name: "fewer-asks", files: [path("b.toml")], share },
      }),
    ],
  });
  return { kernel, folder };
}

const publish = (run: Run, task?: string): Promise<string> =>
  run
    .toolCall({ ...shell("npm publish x"), ...(task === undefined ? {} : { task }) })
    .then(({ applied, decision: { rule: by } }) => `${applied} ${by?.name ?? ""}`);

const opened = (kernel: Kernel): Promise<Run> =>
  openRun(kernel, { run: "r1", store: createMemoryStore() });

describe("an experiment of policies", () => {
  test("lets the version of the task decide, and version a where there is no run", async () => {
    const { kernel } = kernelOf();
    expect(await publish(await opened(kernel), "t1")).toBe("allow publishing-b");
    expect(await publish(await opened(kernel))).toBe("allow publishing-b");
    expect(await publish(await opened(kernelOf({ share: 0 }).kernel), "t1")).toBe(
      "ask_user publishing",
    );
    expect(kernel.decide(shell("npm publish x"))).toMatchObject({ effect: "ask_user" });
  });

  test("replaces only the files of its own use, in one pool with all others", async () => {
    const common = rule("no-publishing", "deny", `${PUBLISH}\nfinal = true`);
    expect(await publish(await opened(kernelOf({ common }).kernel))).toBe("deny no-publishing");
    const { kernel } = kernelOf({ common: rule("look", "allow", 'command = "ls *"') });
    const { applied } = await (await opened(kernel)).toolCall(shell("ls src"));
    expect(applied).toBe("allow");
  });

  test("names the nearest rule, and explains, by the version that decides", async () => {
    const { kernel } = kernelOf({ a: rule("one", "allow", 'command = "make a"') });
    const run = await opened(kernel);
    const { decision } = await run.toolCall(shell("npm publis x"));
    expect(decision.reason).toContain("publishing-b");
    const explained = await kernel.explain({ ...shell("npm publish x") }, run.view);
    expect(JSON.stringify(explained.taps)).toContain("publishing-b");
    expect(JSON.stringify(explained.taps)).not.toContain('"one"');
  });

  test("follows links for both versions", async () => {
    const { kernel, folder } = kernelOf({ b: rule("no-secrets", "deny", 'paths = "**/secret"') });
    writeFileSync(join(folder, "secret"), "");
    symlinkSync(join(folder, "secret"), join(folder, "notes"));
    const run = await opened(kernel);
    const { applied } = await run.toolCall(
      call("read_file", { path: join(folder, "notes") }, { cwd: folder, workspace: folder }),
    );
    expect(applied).toBe("deny");
  });

  test("counts no edit of either version as an edit of the workspace", async () => {
    const { kernel, folder } = kernelOf();
    const run = await opened(kernel);
    const edit = async (file: string, task?: string): Promise<string> => {
      const asked = call(
        "write_file",
        { path: join(folder, file), content: "" },
        { cwd: folder, workspace: folder, approval_mode: "autoEdit" },
      );
      const { applied } = await run.toolCall(task === undefined ? asked : { ...asked, task });
      return applied;
    };
    expect(await edit("a.toml")).toBe("ask_user");
    expect(await edit("b.toml", "t1")).toBe("ask_user");
    expect(await edit("notes.md", "t1")).toBe("allow");
  });

  test("decides by conditions of either version", async () => {
    const first =
      'when = { all = [{ projection = "@bylaw/plugin-policy/calls", path = "$.allowed", operator = "lessThan", value = 1 }] }';
    const { kernel } = kernelOf({ b: rule("once", "allow", `${PUBLISH}\n${first}`) });
    const run = await opened(kernel);
    expect([await publish(run), await publish(run)]).toEqual(["allow once", "ask_user "]);
  });

  test.each([
    ["`default`", { b: `default = "deny"\n${B}` }],
    ["marks", { b: `[[marks]]\nname = "read-mail"\ntool = "read_mail"\n${B}` }],
  ])("refuses versions that differ in their %s", (what, versions) => {
    expect(refused(() => kernelOf(versions))).toMatchObject({
      code: "BYLAW_POLICY_INVALID",
      message: expect.stringContaining(`The two versions of an experiment differ in their ${what}`),
    });
  });

  test("refuses two experiments, a version that does not load, and options that say nothing", () => {
    const two = policy({ text: A, experiment: { name: "two", files: ["b.toml"] } });
    expect(
      refused(() =>
        createKernel({
          plugins: [two, two, policy({ text: A, experiment: { name: "one", files: ["b.toml"] } })],
        }),
      ).message,
    ).toBe("`two` and `one` are two experiments at once");
    expect(refused(() => kernelOf({ b: "[[rule" })).message).toContain("b.toml");
    for (const experiment of [
      { name: "Two Words", files: ["b.toml"] },
      { name: "none", files: [] },
      { name: "all", files: ["b.toml"], share: 2 },
    ])
      expect(refused(() => policy({ experiment })).code).toBe("BYLAW_OPTIONS_INVALID");
  });
});

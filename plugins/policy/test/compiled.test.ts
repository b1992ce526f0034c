import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  createKernel,
  isJsonObject,
  type Decision,
  type Kernel,
  type ToolCall,
} from "@bylaw/kernel";
import { compiledPolicy, type CompiledPolicy } from "@bylaw/policy-language";
import { readCases, temporaryFolder } from "@bylaw/testing";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { policy } from "../src/index.ts";

const folder = temporaryFolder();

let files = 0;
function write(text: string, where = folder): string {
  const file = join(where, `${(files += 1)}.json`);
  writeFileSync(file, text, { mode: 0o644 });
  return file;
}

interface Case {
  readonly policy: string;
  readonly tool: string;
  readonly args?: ToolCall["args"];
}

describe("a compiled form decides like its text", () => {
  const fixtures = fileURLToPath(new URL("fixtures/shell/", import.meta.url));
  const contexts = JSON.parse(readFileSync(join(fixtures, "contexts.json"), "utf8")) as Readonly<
    Record<string, Partial<ToolCall>>
  >;
  const cases = readFileSync(join(fixtures, "cases.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Case)
    .filter(({ args }) => args !== undefined);
  const lines = cases.flatMap(({ args = {} }) =>
    isJsonObject(args) && typeof args["command"] === "string" ? [args["command"]] : [],
  );
  const policies = readdirSync(join(fixtures, "policies")).flatMap((name) => {
    const file = join(fixtures, "policies", name);
    const form = compiledPolicy(readFileSync(file, "utf8"));
    if (form === undefined) return [];
    const compiled = [write(JSON.stringify(form))];
    const kernels = [{}, { compiled }].map((more) =>
      createKernel({ plugins: [policy({ files: [file], operator: true, ...more })] }),
    );
    return [{ name: name.replace(/\.toml$/, ""), kernels }];
  });
  const expectSame = async (kernels: readonly Kernel[], call: ToolCall): Promise<void> => {
    const [fromText, fromForm] = await Promise.all(
      kernels.map(async (kernel) => await kernel.explain(call)),
    );
    expect({ call, explained: fromForm }).toEqual({ call, explained: fromText });
  };

  test("exists for most policies of the cases", () => {
    expect(policies.length).toBeGreaterThan(3);
  });

  test.each(policies.map((one) => [one.name, one.kernels] as const))(
    "on every case, by %s",
    async (name, kernels) => {
      for (const { tool, args = {} } of cases)
        await expectSame(kernels, { hook: "beforeToolCall", tool, args, ...contexts[name] });
    },
  );

  test("on lines that are combined from those of the cases", async () => {
    const part = fc
      .tuple(fc.constantFrom(...lines), fc.nat(40), fc.nat(60))
      .map(([line, from, length]) => line.slice(from, from + length));
    const line = fc
      .array(fc.oneof(fc.constantFrom(...lines), part), { minLength: 1, maxLength: 3 })
      .chain((parts) =>
        fc.constantFrom("; ", " && ", " | ", " ").map((between) => parts.join(between)),
      );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...policies), line, async ({ name, kernels }, command) => {
        const call = { hook: "beforeToolCall", tool: "bash", args: { command } } as const;
        await expectSame(kernels, { ...call, ...contexts[name] });
      }),
      { numRuns: 400 },
    );
  });
});

describe("a compiled form counts", () => {
  const TEXT = `
[[rules]]
name = "no-push"
action = "deny"
command_regex = "git( .*)? push( .*)?"
reason = "the text"
`;
  const FORM = compiledPolicy(TEXT) as CompiledPolicy;
  // The reason shows which of the two decided.
  const OTHER = JSON.stringify(FORM).replace('"reason":"the text"', '"reason":"the form"');
  const policyFile = join(folder, "policy.toml");
  writeFileSync(policyFile, TEXT);
  const push = { hook: "beforeToolCall", tool: "bash", args: { command: "git push" } } as const;
  const decideBy = async (form: string, more = {}): Promise<Decision> =>
    await createKernel({
      plugins: [policy({ files: [policyFile], compiled: [form], operator: true, ...more })],
    }).decide({ ...push, cwd: "/w" });
  const ignored = { effect: "deny", reason: "the text" };

  test("if it was compiled from exactly this text", async () => {
    expect(await decideBy(write(OTHER))).toMatchObject({ effect: "deny", reason: "the form" });
  });

  test("and denies what a pattern in it that cannot be read may be about", async () => {
    const rule = { name: "no-notes", tier: "default", effect: "deny", shadow: false, final: false };
    const wrong = { ...rule, line: 2, read: ["notes/../*"] };
    const form = JSON.stringify({ ...FORM, rules: [wrong] });
    const kernel = createKernel({
      plugins: [policy({ files: [policyFile], compiled: [write(form)], operator: true })],
    });
    const read = { ...push, tool: "read_file", args: { path: "notes/a" }, cwd: "/w" };
    expect(await kernel.decide(read)).toMatchObject({ effect: "deny", code: "check_failed" });
    expect(await kernel.decide({ ...push, cwd: "/w" })).toMatchObject({ code: "fallback" });
  });

  test("not for a text that has changed", async () => {
    const changed = join(folder, "changed.toml");
    writeFileSync(changed, TEXT.replace("the text", "changed"));
    expect(await decideBy(write(OTHER), { files: [changed] })).toMatchObject({
      effect: "deny",
      reason: "changed",
    });
  });

  test.each(readCases<[string, string]>(import.meta, "unusable-forms"))(
    "not one %s",
    async (_, text) => {
      expect(await decideBy(write(text))).toMatchObject(ignored);
    },
  );

  test("not one that is missing, a folder or a link", async () => {
    const link = join(folder, "link.json");
    symlinkSync(write(OTHER), link);
    for (const form of [join(folder, "nothing.json"), folder, link])
      expect(await decideBy(form)).toMatchObject(ignored);
  });

  test.skipIf(process.platform === "win32")("not one that others can write", async () => {
    const form = write(OTHER);
    chmodSync(form, 0o646);
    expect(await decideBy(form)).toMatchObject(ignored);
  });

  test.skipIf(process.getuid?.() !== 0)("not one of another user", async () => {
    const form = write(OTHER);
    chownSync(form, 12_345, 12_345);
    expect(await decideBy(form)).toMatchObject(ignored);
  });

  test("not one in the workspace for a policy outside", async () => {
    const workspace = join(folder, "workspace");
    mkdirSync(workspace);
    const form = write(OTHER, workspace);
    expect(await decideBy(form, { workspace })).toMatchObject(ignored);
  });

  test("not one that nobody named, wherever an agent may put it", async () => {
    for (const name of ["policy.compiled.json", "policy.toml.json", "policy.json"])
      writeFileSync(join(folder, name), OTHER);
    const kernel = createKernel({ plugins: [policy({ files: [policyFile], operator: true })] });
    expect(await kernel.decide({ ...push, cwd: folder })).toMatchObject(ignored);
  });

  test("but never gives an allow rule in the workspace more weight than its text", async () => {
    const text = TEXT.replace('"deny"', '"allow"\npriority = "admin"').replace(
      /command_regex = .*/,
      'command = "git push *"',
    );
    const workspace = join(folder, "own");
    mkdirSync(workspace);
    const file = join(workspace, "policy.toml");
    writeFileSync(file, text);
    const form = write(JSON.stringify(compiledPolicy(text)), workspace);
    const own = policy({ files: [file], compiled: [form], workspace });
    const above = policy({ files: [policyFile], operator: true });
    const below =
      '[[rules]]\nname = "ask"\npriority = "user"\naction = "ask_user"\ntool = "bash"\n';
    const kernel = createKernel({ plugins: [own, above, policy({ text: below })] });
    expect(await kernel.decide({ ...push, cwd: workspace })).toMatchObject({ effect: "ask_user" });
  });

  test("as a file that an edit in the workspace may not change without a question", async () => {
    const workspace = join(folder, "edited");
    mkdirSync(workspace);
    const form = write(OTHER, workspace);
    const kernel = createKernel({
      plugins: [policy({ files: [policyFile], compiled: [form], operator: true })],
      approval_mode: "autoEdit",
    });
    const edit = async (path: string): Promise<Decision> =>
      await kernel.decide({
        hook: "beforeToolCall",
        tool: "write_file",
        args: { path, content: "" },
        cwd: workspace,
        workspace,
      });
    expect(await edit(join(workspace, "notes.md"))).toMatchObject({ effect: "allow" });
    expect(await edit(form)).toMatchObject({ effect: "ask_user" });
  });
});

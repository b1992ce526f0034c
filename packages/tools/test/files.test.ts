import {
  chmodSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Json } from "@bylaw/kernel";
import { callTool, toolNamed, workspaceTools } from "../src/index.ts";
import { readCases } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { UNFIT, folder, toolsIn } from "./kit.ts";

describe("read_files", () => {
  it("reads a file, or some of its lines", async () => {
    const call = toolsIn(folder({ "a/b.txt": "one\ntwo\nthree\n" }));
    expect(await call("read_files", { path: "a/b.txt" })).toMatchObject({
      status: "success",
      path: "a/b.txt",
      content: "one\ntwo\nthree\n",
      lines: 3,
      truncated: false,
    });
    expect(await call("read_files", { path: "a/b.txt", offset: 1, limit: 1 })).toMatchObject({
      content: "two\n",
      lines: 1,
      truncated: true,
    });
    expect(await call("read_files", { path: "a/b.txt", offset: 9 })).toMatchObject({
      content: "",
      lines: 0,
      truncated: false,
    });
  });

  it("reads several files, and reports why it cannot read some", async () => {
    const call = toolsIn(folder({ a: "1", b: "2" }));
    expect(await call("read_files", { paths: ["a", "missing", "../x", "b"] })).toMatchObject({
      files: [
        { path: "a", content: "1" },
        { path: "missing", error: "File not found: missing" },
        { path: "../x", error: expect.stringContaining("leaves the workspace") },
        { path: "b", content: "2" },
      ],
    });
    for (const args of readCases<object>(import.meta, "wrong-arguments"))
      await expect(call("read_files", args), JSON.stringify(args)).rejects.toFailWith(
        "BYLAW_TOOL_ARGUMENTS_INVALID",
      );
  });

  it("cuts an answer that is too long, and says so", async () => {
    const call = toolsIn(folder({ a: "12345\n12345\n12345\n", b: "€".repeat(100) }), {
      limits: { answer: 13, file: 1_000 },
    });
    expect(await call("read_files", { path: "a" })).toMatchObject({
      content: "12345\n12345\n",
      truncated: true,
      lines: 2,
      total_lines: 3,
    });
    expect(await call("read_files", { path: "b" })).toMatchObject({
      content: "€".repeat(13),
      truncated: true,
    });
    expect(await call("read_files", { paths: ["a", "b"] })).toMatchObject({
      files: [{ lines: 2 }, { content: "€" }],
    });
  });

  it("reads files of only line breaks, and files without any", async () => {
    const call = toolsIn(folder({ ends: "\n".repeat(1_000_000), none: "abc", empty: "" }), {
      limits: { answer: 10 },
    });
    expect(await call("read_files", { path: "ends" })).toMatchObject({
      content: "\n".repeat(10),
      lines: 10,
      total_lines: 1_000_000,
    });
    expect(await call("read_files", { path: "none" })).toMatchObject({
      content: "abc",
      lines: 1,
      total_lines: 1,
      truncated: false,
    });
    expect(await call("read_files", { path: "empty" })).toMatchObject({
      content: "",
      lines: 0,
      total_lines: 0,
      truncated: false,
    });
  });

  it("refuses binary files, and reports parts that are not UTF-8", async () => {
    const call = toolsIn(
      folder({
        binary: Uint8Array.of(1, 0, 2),
        latin: Uint8Array.of(0x61, 0xe9),
        large: "x".repeat(100),
      }),
      { limits: { file: 99 } },
    );
    await expect(call("read_files", { path: "binary" })).rejects.toMatchObject(UNFIT);
    await expect(call("read_files", { path: "large" })).rejects.toMatchObject(UNFIT);
    expect(await call("read_files", { path: "latin" })).toMatchObject({
      content: "a\ufffd",
      not_utf8: true,
    });
  });

  it("needs a workspace", async () => {
    const read = toolNamed(workspaceTools(), "read_files");
    if (read === undefined) throw new Error("none");
    for (const context of [
      { agent: "ann" },
      { agent: "ann", workspace: "/no/such" },
      { agent: "ann", workspace: "/etc/passwd" },
    ])
      await expect(callTool(read, { path: "a" }, context)).rejects.toFailWith(
        "BYLAW_WORKSPACE_MISSING",
      );
  });
});

describe("write_files", () => {
  it("writes or appends to a file, and creates its folders", async () => {
    const root = folder();
    const call = toolsIn(root);
    expect(await call("write_files", { path: "a/b/c.txt", content: "é" })).toEqual({
      ...{ status: "success", path: "a/b/c.txt", bytes_written: 2, mode: "w", created: true },
    });
    expect(await call("write_files", { path: "a/b/c.txt", content: "f", mode: "a" })).toMatchObject(
      { bytes_written: 1, created: false },
    );
    expect(readFileSync(join(root, "a/b/c.txt"), "utf8")).toBe("éf");
    expect(await call("write_files", { path: "new.txt", content: "n", mode: "a" })).toMatchObject({
      created: true,
    });
    expect(readdirSync(join(root, "a/b"))).toEqual(["c.txt"]);
  });

  it("keeps the mode of a file, except for setuid and setgid", async () => {
    const root = folder({ run: "old" });
    chmodSync(join(root, "run"), 0o4755);
    await toolsIn(root)("write_files", { path: "run", content: "new" });
    expect((statSync(join(root, "run")).mode & 0o7777).toString(8)).toBe("755");
  });

  it("separates a file from its hard links, and says so", async () => {
    const [root, outside] = [folder(), folder({ kept: "kept" })];
    linkSync(join(outside, "kept"), join(root, "linked"));
    const call = toolsIn(root);
    expect(await call("read_files", { path: "linked" })).toMatchObject({
      content: "kept",
      hard_links: 2,
    });
    expect(await call("write_files", { path: "linked", content: "mine" })).toMatchObject({
      parted_from_hard_link: true,
    });
    linkSync(join(outside, "kept"), join(root, "edited"));
    expect(
      await call("edit_files", { path: "edited", old_string: "kept", new_string: "mine" }),
    ).toMatchObject({ parted_from_hard_link: true });
    expect(readFileSync(join(outside, "kept"), "utf8")).toBe("kept");
    expect(readFileSync(join(root, "edited"), "utf8")).toBe("mine");
  });

  it("writes no more than its limit, and leaves nothing behind if it fails", async () => {
    const root = folder();
    mkdirSync(join(root, "folder"));
    const call = toolsIn(root, { limits: { file: 10 } });
    await expect(call("write_files", { path: "a", content: "x".repeat(11) })).rejects.toMatchObject(
      UNFIT,
    );
    await call("write_files", { path: "a", content: "x".repeat(10) });
    await expect(call("write_files", { path: "a", content: "x", mode: "a" })).rejects.toMatchObject(
      UNFIT,
    );
    await expect(call("write_files", { path: "folder", content: "x" })).rejects.toMatchObject(
      UNFIT,
    );
    await expect(call("write_files", { path: "a/b", content: "x" })).rejects.toMatchObject(UNFIT);
    expect(readdirSync(root, { recursive: true, encoding: "utf8" }).sort()).toEqual([
      ".bylaw",
      ".bylaw/tmp",
      ".bylaw/tmp/.gitignore",
      "a",
      "folder",
    ]);
    expect((await call("glob", { pattern: "**" })).files).toEqual(["a"]);
  });

  it("writes next to the file if the temporary folder cannot be used", async () => {
    for (const [path, target] of [
      [".bylaw", "x"],
      [".bylaw/tmp", "x"],
    ] as const) {
      const [root, outside] = [folder(), folder()];
      mkdirSync(join(root, dirname(path)), { recursive: true });
      symlinkSync(outside, join(root, path));
      expect(await toolsIn(root)("write_files", { path: target, content: "1" })).toMatchObject({
        created: true,
      });
      expect(readdirSync(outside)).toEqual([]);
      expect(readFileSync(join(root, target), "utf8")).toBe("1");
      expect(readdirSync(root).sort()).toEqual([".bylaw", "x"]);
    }
  });
});

describe("edit_files", () => {
  const root = folder();
  const call = toolsIn(root);
  const edit = async (text: string, args: object): Promise<string> => {
    writeFileSync(join(root, "f"), text);
    await call("edit_files", { path: "f", ...args });
    return readFileSync(join(root, "f"), "utf8");
  };

  it("replaces one occurrence, or all of them, character by character", async () => {
    expect(await edit("a b", { old_string: "b", new_string: "$& $1 c" })).toBe("a $& $1 c");
    expect(await edit("a.a.a", { old_string: ".", new_string: "", replace_all: true })).toBe("aaa");
    expect(
      await edit("one two", {
        edits: [
          { old_string: "one", new_string: "two" },
          { old_string: "two two", new_string: "x" },
        ],
      }),
    ).toBe("x");
    expect(await edit("\ufeffa\r\nb", { old_string: "a\r\n", new_string: "" })).toBe("\ufeffb");
  });

  it("changes nothing if one of several edits does not fit", async () => {
    for (const args of readCases<object>(import.meta, "refused-edits")) {
      await expect(edit("a b a", args)).rejects.toFailWith("BYLAW_EDIT_UNFIT");
      expect(readFileSync(join(root, "f"), "utf8")).toBe("a b a");
    }
    for (const args of [
      {},
      { old_string: "a" },
      { old_string: "", new_string: "b" },
      { old_string: "a", new_string: "b", edits: [] },
    ])
      await expect(edit("a", args)).rejects.toFailWith("BYLAW_TOOL_ARGUMENTS_INVALID");
  });

  it("does not damage files that are not UTF-8, and limits the size of a file", async () => {
    writeFileSync(join(root, "latin"), Uint8Array.of(0x61, 0xe9));
    await expect(
      call("edit_files", { path: "latin", old_string: "a", new_string: "b" }),
    ).rejects.toMatchObject(UNFIT);
    writeFileSync(join(root, "wide"), "a".repeat(1_000_000));
    const often = { path: "wide", old_string: "a", new_string: "b", replace_all: true };
    await expect(call("edit_files", often)).rejects.toFailWith("BYLAW_EDIT_UNFIT");
    writeFileSync(join(root, "wide"), "a".repeat(100_000));
    const grow = {
      path: "wide",
      old_string: "a",
      new_string: "b".repeat(1_000),
      replace_all: true,
    };
    await expect(call("edit_files", grow)).rejects.toMatchObject(UNFIT);
  });
});

it("all tools answer without secrets of the service, and without what a redactor removes", async () => {
  const root = folder({ env: "TOKEN=very-secret-token\nmail=ann@example.org\n" });
  const redact = (answer: Json): Json =>
    JSON.parse(JSON.stringify(answer).replace(/[\w.]+@[\w.]+/g, "[mail]")) as Json;
  const call = toolsIn(root, { secrets: ["very-secret-token", "a"], redact });
  expect((await call("read_files", { path: "env" })).content).toBe("TOKEN=[secret]\nmail=[mail]\n");
  expect((await call("grep", { pattern: "secret" })).matches[0]?.content).toBe("TOKEN=[secret]");
  expect((await call("bash", { command: "cat env" })).stdout).toContain("TOKEN=[secret]");
  await expect(
    call("edit_files", { path: "env", old_string: "very-secret-token?", new_string: "" }),
  ).rejects.toThrow(/\[secret\]/);
});

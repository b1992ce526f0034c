import { describe, expect, it } from "vitest";
import type { ToolCall } from "@bylaw/kernel";
import { identify } from "../src/match/mcp.ts";
import { readLine } from "../src/match/shell-line.ts";

describe("the cached facts of a line", () => {
  const words = (line: string): readonly string[] => readLine(line).parts.map(({ text }) => text);

  it("are cached from the second time on, as long as few other lines come between", () => {
    // Other tests share the cache, which may be emptied at any new line, but not twice in a few.
    for (let time = 0; time < 3; time += 1) {
      readLine("git status --short");
      readLine("true");
    }
    const first = readLine("git status --short");
    readLine("true");
    expect(readLine("git status --short")).toBe(first);
  });

  it("are evicted after many other lines, and computed again with the same result", () => {
    const first = readLine("ls -la && rm -rf build");
    const before = words("ls -la && rm -rf build");
    for (let n = 0; n < 5_000; n += 1) readLine(`printf ${n}`);
    expect(readLine("ls -la && rm -rf build")).not.toBe(first);
    expect(words("ls -la && rm -rf build")).toEqual(before);
  });

  it("are cached for a long line only until the next line", () => {
    const long = (n: number): string => `echo ${"x".repeat(2_000)} ${n}`;
    const first = readLine(long(1));
    expect(readLine(long(1))).toBe(first);
    readLine(long(2));
    expect(readLine(long(1))).not.toBe(first);
  });

  it("contain nothing of the call that the line came from", () => {
    expect(readLine("make all").unknown).toBeUndefined();
    expect(readLine("make all", { beside: "environment beside the command" }).unknown).toBe(
      "environment beside the command",
    );
    expect(readLine("make all").unknown).toBeUndefined();
    expect(readLine("make all").parts[0]?.plain).toBe(true);
    expect(readLine("make all", { beside: "environment beside the command" }).parts[0]?.plain).toBe(
      false,
    );
  });

  it("are not kept if the line asks for the working folder", () => {
    const file = (cwd: string): string | undefined =>
      readLine('cat "$PWD/x"', { cwd }).parts[0]?.words[1]?.text;
    for (let time = 0; time < 3; time += 1) {
      expect(file("/a")).toBe("/a/x");
      readLine("true");
      expect(file("/b")).toBe("/b/x");
    }
  });
});

describe("the cached identity of a tool", () => {
  const call = (fields: Partial<ToolCall>): ToolCall => ({
    hook: "beforeToolCall",
    tool: "get_issue",
    args: {},
    ...fields,
  });

  it("is computed again if a registry of servers matters", () => {
    const tool = "mcp__a__b";
    expect(identify(call({ tool })).kind).toBe("unresolved");
    expect(identify(call({ tool, servers: { a: ["b"] } }))).toMatchObject({
      kind: "mcp",
      server: "a",
      bare: "b",
    });
    expect(identify(call({ tool, servers: { a: [] } })).kind).toBe("unresolved");
    expect(identify(call({ tool })).kind).toBe("unresolved");
  });

  it("is keyed by server and name, never by the joined text", () => {
    expect(identify(call({ server: "a_b", tool: "c" }))).toMatchObject({
      server: "a_b",
      bare: "c",
    });
    expect(identify(call({ server: "a", tool: "b_c" }))).toMatchObject({
      server: "a",
      bare: "b_c",
    });
    expect(identify(call({ tool: "b_c" }))).toMatchObject({ kind: "local", bare: "b_c" });
    expect(identify(call({ server: "__proto__", tool: "constructor" }))).toMatchObject({
      server: "__proto__",
      bare: "constructor",
    });
  });

  it("is the same after more tools than the cache can hold", () => {
    const before = identify(call({ server: "kept", tool: "first" }));
    for (let n = 0; n < 10_000; n += 1) identify(call({ server: `s${n % 10}`, tool: `t${n}` }));
    expect(identify(call({ server: "kept", tool: "first" }))).toEqual(before);
  });
});

import { readCases } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { analyze } from "../src/index.ts";
import { codesOf, commandOf, filesOf, shown } from "./kit.ts";

const redirectionsOf = (line: string, name: string) =>
  commandOf(line, name).redirections.map(
    ({ operator, target, writes }) =>
      `${operator}${target === undefined ? "" : shown(target)}${writes ? " writes" : ""}`,
  );

describe("redirections", () => {
  it.each(readCases<[string, string[], string[]]>(import.meta, "redirections"))(
    "%s",
    (line, redirections, files) => {
      expect(redirectionsOf(line, "x")).toEqual(redirections);
      expect(filesOf(line, "x")).toEqual(files);
    },
  );

  it("treats a socket as a connection, read or written", () => {
    for (const line of ["x > /dev/tcp/10.0.0.1/80", "x < /dev/udp/10.0.0.1/80"]) {
      expect(commandOf(line, "x").effects).toContainEqual({ kind: "network", host: "10.0.0.1" });
      expect(commandOf(line, "x").redirections[0]?.writes).toBe(true);
    }
  });

  it("reports the redirections of a group for every command in it", () => {
    for (const line of readCases<string>(import.meta, "group-redirections")) {
      expect(filesOf(line, "x")).toContain("write:f");
      expect(redirectionsOf(line, "x")).toContain(">f writes");
    }
  });

  it("reports the redirections of a group without commands", () => {
    const [command] = analyze("[[ -f a ]] > f").commands;
    expect(command?.argv).toEqual([]);
    expect(command?.effects).toEqual([{ kind: "write", path: { text: "f" } }]);
  });

  it("knows the standard input of a program", () => {
    expect(codesOf("x | bash")).toContain("dynamic_script");
    expect(codesOf("bash < x")).toContain("dynamic_script");
    expect(codesOf("{ bash; } < x")).toContain("dynamic_script");
    expect(codesOf("bash <<E\n$x\nE")).toContain("dynamic_script");
    expect(codesOf("bash <<'E'\nls\nE")).toEqual([]);
  });
});

describe("the folder of relative paths", () => {
  const last = (line: string) => filesOf(line, "cat");
  it.each(readCases<[string, string[]]>(import.meta, "folders"))("%s", (line, files) => {
    expect(last(line)).toEqual(files);
  });

  it("may be either of two if `cd` can fail or does not always run", () => {
    for (const line of readCases<string>(import.meta, "two-folders")) {
      expect(last(line).toSorted()).toEqual(["read:a/x", "read:x"]);
    }
  });

  it.each(readCases<string>(import.meta, "unknown"))("is unknown: %s", (line) => {
    expect(last(line)).toContain("read:?");
    expect(last(line)).not.toContain("read:x");
  });

  it("does not read a quoted `~` as the home folder", () => {
    expect(last("cat '~/x'")).toEqual(["read:./~/x"]);
    expect(last("cat ~/x")).toEqual(["read:~/x"]);
    expect(last("cat ~/x '~/x'")).toEqual(["read:?", "read:?"]);
  });
});

import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { effectOf, run } from "./calls.ts";

const under = (action: string, pattern: string, line: string): string =>
  effectOf([{ action, command: pattern }], run(line));

describe("a deny of a program matches its name in any case", () => {
  test.each(readCases<[string, string]>(import.meta, "names-of-one-program"))(
    "%s: %s",
    (pattern, line) => {
      expect(under("deny", pattern, line)).toBe("deny");
      expect(under("ask_user", pattern, line)).toBe("ask_user");
    },
  );
  test("an allow matches only the case that it spells out", () => {
    expect(under("allow", "ls *", "LS a")).not.toBe("allow");
    expect(under("allow", "ls *", "ls a")).toBe("allow");
  });
  test("an argument in another case is a different argument", () => {
    expect(under("deny", "git push *", "git PUSH")).not.toBe("deny");
  });
});

describe("a deny of a subcommand matches all its names", () => {
  test.each(readCases<[string, string[]]>(import.meta, "subcommands"))("%s", (pattern, lines) => {
    for (const line of lines) expect([line, under("deny", pattern, line)]).toEqual([line, "deny"]);
  });
  test.each(readCases<[string, string]>(import.meta, "other-subcommands"))(
    "%s: not %s",
    (pattern, line) => expect(under("deny", pattern, line)).not.toBe("deny"),
  );
});

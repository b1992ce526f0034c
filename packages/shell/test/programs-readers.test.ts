import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { analyze } from "../src/index.ts";
import { doubtsOf, effectsOf, hazardsOf } from "./told.ts";

/** Returns what the first command of this program does beyond its name. */
function does(line: string, name: string): readonly string[] {
  const found = analyze(line).commands.find(({ argv }) => argv[0]?.text === name);
  return found?.hazards.map((hazard) => hazard.does) ?? [];
}

describe("settings of ssh are either known or unknown, and never guessed", () => {
  test.each(readCases<string>(import.meta, "ssh-settings"))("%s", (line) => {
    expect(hazardsOf(line).some((hazard) => hazard.endsWith(":run"))).toBe(true);
    expect(doubtsOf(line)).toContain("inline_code");
  });

  test.each(readCases<string>(import.meta, "plain-ssh"))("%s is plain", (line) => {
    expect(hazardsOf(line)).toEqual([]);
    expect(doubtsOf(line)).toEqual([]);
  });

  test("another name of the host is a connection, and a key is a file", () => {
    expect(effectsOf("ssh -o HostName=evil.example -o IdentityFile=k h")).toEqual([
      "network evil.example",
      "read k",
      "network h",
    ]);
  });
});

describe("programs of awk", () => {
  test.each(readCases<string>(import.meta, "writes"))("%s writes", (line) =>
    expect(does(line, "awk")).toContain("write"),
  );

  test.each(readCases<string>(import.meta, "runs"))("%s runs, or is unknown", (line) => {
    expect(does(line, "awk")).toContain("run");
  });

  test.each([
    "awk 'BEGIN{getline x[1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1] < \"/etc/shadow\"; print x[18]}'",
    "awk 'BEGIN{while ((getline l < f) > 0) print l}'",
    'awk \'BEGIN{SYMTAB["ARGV"][1] = "/etc/shadow"}{print}\'',
  ])("%s loads", (line) => expect(does(line, "awk")).toContain("load"));

  test.each(readCases<string>(import.meta, "plain-awk"))("%s is plain", (line) => {
    expect(hazardsOf(line)).toEqual([]);
    expect(doubtsOf(line)).toEqual([]);
  });
});

describe("pagers read options and keys within their options", () => {
  test.each(readCases<string>(import.meta, "pagers"))("%s", (line) =>
    expect([line, hazardsOf(line).length]).not.toEqual([line, 0]),
  );

  test.each(readCases<string>(import.meta, "less"))("cat f | less %s", (option) =>
    expect(
      does(`cat f | less ${option}`, "less").filter((what) => what === "write" || what === "run"),
    ).not.toEqual([]),
  );

  test.each(readCases<string>(import.meta, "plain-pagers"))("%s is plain", (line) =>
    expect(hazardsOf(line)).toEqual([]),
  );
});

describe("combined letters take the following words in turn", () => {
  test.each(readCases<[string, string]>(import.meta, "letters"))("%s: %s", (line, effect) => {
    expect(effectsOf(line)).toContain(effect);
  });

  test("a value that looks like an option is still a value", () => {
    expect(hazardsOf("tree -LI 2 -o")).toEqual([]);
    expect(effectsOf("tree -L2 src")).toEqual(["read+ src"]);
    expect(hazardsOf("tar tf a.tar")).toEqual([]);
    expect(hazardsOf("tar tQf a.tar").length).toBeGreaterThan(0);
    expect(hazardsOf('tar t"$x" a.tar').length).toBeGreaterThan(0);
  });
});

describe("options of git that later options revoke", () => {
  test.each(readCases<[string, string]>(import.meta, "git-options"))("%s: %s", (line, hazard) =>
    expect(hazardsOf(line)).toContain(hazard),
  );

  test.each(readCases<string>(import.meta, "plain-git"))("%s is plain", (line) =>
    expect(hazardsOf(line)).toEqual([]),
  );
});

describe("scripts of sed", () => {
  test.each(["sed ':a e id' f", "sed 'b a e id' f", "sed $'t\\ta e id' f", "sed 'séaàe id' f"])(
    "%s runs",
    (line) => expect(does(line, "sed")).toContain("run"),
  );
  test.each(["sed 'w /dev/stdout ' f", "sed 's/a/b/w /dev/stdout ' f"])("%s writes", (line) =>
    expect(does(line, "sed")).toContain("write"),
  );
  test.each(readCases<string>(import.meta, "plain-sed"))("%s is plain", (line) =>
    expect(hazardsOf(line)).toEqual([]),
  );
});

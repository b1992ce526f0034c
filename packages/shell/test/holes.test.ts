import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { analyze } from "../src/index.ts";
import { doubtsOf, runsOf } from "./told.ts";
import { commandsOf, filesOf } from "./kit.ts";

describe("a script with an unknown part still shows its commands", () => {
  test.each(readCases<[string, string]>(import.meta, "scripts"))("%s: %s", (line, run) => {
    expect(commandsOf(line).map((text) => text.replace(/\S*<\?>\S*/g, "?"))).toContain(run);
    expect(doubtsOf(line)).toContain("dynamic_script");
  });
  test("a remote script is marked", () => {
    expect(runsOf('ssh h "rm -rf $DIR"')).toContain("rm -rf ? @");
    expect(runsOf("ssh h <<E\nrm -rf $DIR\nE")).toContain("rm -rf ? @");
  });
  test("an unknown part is never read as a file name, not even in quotes", () => {
    expect(filesOf("bash -c \"cat '$X' y\"", "cat")).toEqual(["read:?", "read:y"]);
    expect(analyze('bash -c "$X"').commands).toHaveLength(1);
  });
  test("a known script has no holes", () => {
    expect(doubtsOf("bash -c 'rm -rf \"$DIR\"'")).toEqual([]);
    expect(doubtsOf("trap 'rm -rf \"$TMP\"' EXIT")).toEqual([]);
  });
});

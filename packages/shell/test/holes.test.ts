import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { analyze } from "../src/index.ts";
import { doubtsOf, runsOf } from "./told.ts";
import { commandsOf, filesOf } from "./kit.ts";

describe("a script of which a part is not known still shows its commands", () => {
  test.each(readCases<[string, string]>(import.meta, "scripts"))("%s: %s", (line, run) => {
    expect(commandsOf(line).map((text) => text.replace(/\S*<\?>\S*/g, "?"))).toContain(run);
    expect(doubtsOf(line)).toContain("dynamic_script");
  });
  test("a remote one is marked", () => {
    expect(runsOf('ssh h "rm -rf $DIR"')).toContain("rm -rf ? @");
    expect(runsOf("ssh h <<E\nrm -rf $DIR\nE")).toContain("rm -rf ? @");
  });
  test("what is not known is no file of that name, in quotes neither", () => {
    expect(filesOf("bash -c \"cat '$X' y\"", "cat")).toEqual(["read:?", "read:y"]);
    expect(analyze('bash -c "$X"').commands).toHaveLength(1);
  });
  test("a script that is known has no holes", () => {
    expect(doubtsOf("bash -c 'rm -rf \"$DIR\"'")).toEqual([]);
    expect(doubtsOf("trap 'rm -rf \"$TMP\"' EXIT")).toEqual([]);
  });
});

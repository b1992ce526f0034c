import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { doubtsOf, effectsOf, hazardsOf, runsOf } from "./told.ts";

describe("tools of clouds: what they run, write, send, delete and change", () => {
  test.each(readCases<[string, string[]]>(import.meta, "hazards"))("%s: %j", (line, hazards) => {
    expect(hazardsOf(line)).toEqual(hazards);
  });

  test.each(readCases<string>(import.meta, "looks"))("only showing is no hazard: %s", (line) => {
    expect(hazardsOf(line)).toEqual([]);
    expect(doubtsOf(line)).toEqual([]);
  });

  test.each([
    ["terraform console", "console:run"],
    ["tofu console", "console:run"],
  ])("a tool that reads code from its input is unknown: %s", (line, hazard) => {
    expect(doubtsOf(line)).toContain("inline_code");
    expect(hazardsOf(line)).toEqual([hazard]);
  });
  test.each(["ansible-console", "az interactive"])("also %s", (line) => {
    expect(doubtsOf(line)).toContain("inline_code");
  });

  test.each(readCases<[string, string]>(import.meta, "with-effect"))(
    "%s does %s",
    (line, effect) => {
      expect(effectsOf(line)).toContain(effect);
    },
  );

  test.each([
    ["helm template r c --post-renderer ./x", "./x"],
    ["ansible all -a 'rm -rf build'", "rm -rf build"],
    ["kubectl exec p -- rm -rf build", "rm -rf build @"],
  ])("%s runs %s", (line, run) => {
    expect(runsOf(line)).toContain(run);
  });
});

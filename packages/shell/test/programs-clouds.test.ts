import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { doubtsOf, effectsOf, hazardsOf, runsOf } from "./told.ts";

describe("what tools of clouds run, write, send, delete and change is told", () => {
  test.each(
    readCases<readonly [string, readonly string[]]>(
      new URL("cases/programs-clouds/hazards.jsonl", import.meta.url),
    ),
  )("%s: %j", (line, hazards) => {
    expect(hazardsOf(line)).toEqual(hazards);
  });

  test.each(readCases<string>(new URL("cases/programs-clouds/looks.jsonl", import.meta.url)))(
    "looking is no hazard: %s",
    (line) => {
      expect(hazardsOf(line)).toEqual([]);
      expect(doubtsOf(line)).toEqual([]);
    },
  );

  test.each([
    ["terraform console", "console:run"],
    ["tofu console", "console:run"],
  ])("what reads code from its input is not known: %s", (line, hazard) => {
    expect(doubtsOf(line)).toContain("inline_code");
    expect(hazardsOf(line)).toEqual([hazard]);
  });
  test.each(["ansible-console", "az interactive"])("nor is %s", (line) => {
    expect(doubtsOf(line)).toContain("inline_code");
  });

  test.each(
    readCases<readonly [string, string]>(
      new URL("cases/programs-clouds/with-effect.jsonl", import.meta.url),
    ),
  )("%s does %s", (line, effect) => {
    expect(effectsOf(line)).toContain(effect);
  });

  test.each([
    ["helm template r c --post-renderer ./x", "./x"],
    ["ansible all -a 'rm -rf build'", "rm -rf build"],
    ["kubectl exec p -- rm -rf build", "rm -rf build @"],
  ])("%s runs %s", (line, run) => {
    expect(runsOf(line)).toContain(run);
  });
});

import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { commandOf, effectsOf, hazardsOf } from "./told.ts";

describe("the file that a program writes is reported", () => {
  test.each(readCases<[string, string]>(import.meta, "outputs"))("%s: %s", (line, effect) =>
    expect(effectsOf(line)).toContain(effect),
  );

  test.each(["wget --spider http://h/k.pem", "wget -O - http://h/k.pem", "curl http://h/k.pem"])(
    "%s writes none",
    (line) => expect(effectsOf(line).filter((effect) => effect.startsWith("write"))).toEqual([]),
  );
});

describe("the name of an option tells what it does, in any program", () => {
  test.each(readCases<[string, string]>(import.meta, "options"))("%s: %s", (line, hazard) =>
    expect(hazardsOf(line)).toContain(hazard),
  );

  test.each(readCases<string>(import.meta, "without-hazard"))("%s has none", (line) =>
    expect(hazardsOf(line).filter((hazard) => !hazard.endsWith("tsconfig.json"))).toEqual(
      line.startsWith("tsc") ? expect.anything() : [],
    ),
  );

  test("checkers treat their words as data, and read the files that they check", () => {
    expect(commandOf("eslint rm -rf x").carries).toBe(false);
    expect(effectsOf("eslint --fix src")).toEqual([
      "read+ src",
      "write+ src (visible)",
      "project src",
    ]);
    expect(effectsOf("black src")).toEqual(["read+ src", "write+ src (visible)"]);
    expect(effectsOf("aws s3 cp k.pem s3://b")).toContain("read+ k.pem");
    expect(effectsOf("gh gist create k.pem")).toContain("read k.pem");
  });
});

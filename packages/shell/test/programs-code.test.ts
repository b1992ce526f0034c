import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { doubtsOf, hazardsOf } from "./told.ts";

describe("code of another language in the arguments or the input is unknown", () => {
  test.each(readCases<string>(import.meta, "code"))("%s", (line) =>
    expect(doubtsOf(line)).toContain("inline_code"),
  );

  test.each(readCases<string>(import.meta, "known"))("%s is known", (line) =>
    expect(doubtsOf(line)).toEqual([]),
  );

  test("a module that runs is a hazard at its name, a loaded file at its option", () => {
    expect(hazardsOf("python3 -m pytest")).toEqual(["pytest:run"]);
    expect(hazardsOf("node --import ./x.js y.js")).toEqual(["--import:load"]);
    expect(hazardsOf("node --test --require=./x.js")).toEqual(["--require=./x.js:load"]);
    expect(hazardsOf("perl -I/tmp x.pl")).toEqual(["-I/tmp:load"]);
  });
});

test.each(readCases<string>(import.meta, "sed"))(
  "a sed script that different seds read differently, and that may hide a command, is not trusted: %s",
  (line) => expect(hazardsOf(line)).not.toEqual([]),
);

test.each(readCases<string>(import.meta, "awk"))(
  "a command in an awk program is found: %s",
  (line) => expect(hazardsOf(line)).not.toEqual([]),
);

import { describe, expect, it } from "vitest";
import { contractLines } from "../src/index.ts";
import { CLEAN } from "./kit.ts";

const lines = CLEAN.split("\n");
const at = contractLines(CLEAN);

describe("the lines of a contract", () => {
  it("are those of its keys and items", () => {
    expect(lines[at(["phases", 0, "forbidden_tools"]) - 1]).toContain("forbidden_tools: [bash]");
    expect(lines[at(["phases", 1]) - 1]).toContain("id: BUILD");
    expect(lines[at(["transitions", 2]) - 1]).toContain("from: REVIEW, to: DONE");
  });

  it("are those of the nearest part above if a part does not exist", () => {
    expect(at(["phases", 1, "tool_constraints", "deploy", "x"])).toBe(
      at(["phases", 1, "tool_constraints"]),
    );
    expect(at(["absent"])).toBe(1);
    for (const text of ["", "a: [", "- 1", "\u0000"])
      expect(contractLines(text)(["phases", 0])).toBe(1);
  });
});

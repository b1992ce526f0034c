import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { lintContractFile } from "@bylaw/contract";
import { createKernel } from "@bylaw/kernel";
import { temporaryFolder } from "@bylaw/testing";
import { fivePhases, tdd, type TddOptions } from "../src/index.ts";

const SHIPPED = join(import.meta.dirname, "../agent_workflow.yaml");

const cases = readFileSync(new URL("../cases.jsonl", import.meta.url), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as { readonly id: string; readonly phase: string });
const PATH = ["PLAN", "TDD", "IMPL", "REVIEW", "COMPLETE", "@completed"];
const folder = temporaryFolder();
copyFileSync(SHIPPED, join(folder, "agent_workflow.yaml"));
const configFile = join(folder, "bylaw.config.ts");
process.env["ORCHESTRATOR_JWT_SECRET"] ??= "a secret of these tests that is long enough";

it("the five-phase workflow has a case for each phase, and none twice", () => {
  expect(new Set(cases.map(({ phase }) => phase))).toEqual(new Set(PATH));
  expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length);
});

describe("the ruleset", () => {
  it("has a contract without a finding", () => {
    expect(lintContractFile(SHIPPED).findings).toEqual([]);
  });

  it("contains the six plugins, by name or as a function", () => {
    const names = ["artifacts", "gates", "monitoring", "phases", "tasks", "tokens"].map(
      (name) => `@bylaw/plugin-${name}`,
    );
    for (const ruleset of [fivePhases, tdd()]) {
      const { declared } = createKernel({ extends: [ruleset] }, { configFile });
      expect(declared.plugins.filter((name) => names.includes(name)).toSorted()).toEqual(names);
    }
    expect(fivePhases.name).toBe("@bylaw/ruleset-tdd");
  });

  it("accepts another contract, mode, folder and keys", () => {
    const text = readFileSync(SHIPPED, "utf8")
      .replace('mode: "strict"', 'mode: "permissive"')
      .replace('"reject"', '"warn"');
    writeFileSync(join(folder, "other.yaml"), text);
    process.env["TDD_OTHER_SECRET"] = "another secret of these tests, long enough";
    const options: TddOptions = {
      contract: "other.yaml",
      mode: "permissive",
      workspace: "src",
      keys: [{ id: "other", env: "TDD_OTHER_SECRET" }],
      claims: "off",
    };
    const kernel = createKernel(
      { extends: [tdd(options)], enforcement_mode: "permissive" },
      { configFile },
    );
    expect(kernel.enforcement_mode).toBe("permissive");
    expect(() =>
      createKernel({ extends: [tdd({ ...options, mode: "strict" })] }, { configFile }),
    ).toThrow(expect.objectContaining({ code: "BYLAW_PHASE_MODE_DIFFERS" }));
  });

  it.each([
    ["@bylaw/plugin-gates", "gates"],
    ["@bylaw/plugin-artifacts", "artifacts"],
    ["@bylaw/plugin-tokens", "tokens"],
  ])("does not load without %s, which the contract needs", (plugin, part) => {
    const attempt = () => createKernel({ extends: [tdd()], without: [plugin] }, { configFile });
    expect(attempt).toThrow(
      expect.objectContaining({
        code: "BYLAW_CONTRACT_UNENFORCED",
        message: expect.stringContaining(part),
      }),
    );
  });

  it("does not load if the contract is missing", () => {
    expect(() =>
      createKernel({ extends: [tdd({ contract: "absent.yaml" })] }, { configFile }),
    ).toThrow(expect.objectContaining({ code: "BYLAW_CONTRACT_UNREADABLE" }));
  });
});

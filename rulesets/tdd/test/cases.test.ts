import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { lintContractFile } from "@bylaw/contract";
import { createKernel, type JsonObject } from "@bylaw/kernel";
import { fivePhases, tdd, type TddOptions } from "../src/index.ts";
import { SHIPPED, beginWalk, project } from "./walk.ts";

interface Case {
  readonly id: string;
  readonly phase: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly must: "allow" | "deny";
  readonly code?: string;
}

const cases = readFileSync(new URL("../cases.jsonl", import.meta.url), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as Case);
const PATH = ["PLAN", "TDD", "IMPL", "REVIEW", "COMPLETE", "@completed"];
const folder = project();
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const configFile = join(folder, "bylaw.config.ts");
process.env["ORCHESTRATOR_JWT_SECRET"] ??= "a secret of these tests that is long enough";

describe("the five-phase workflow", () => {
  it("has a case for each phase, and none twice", () => {
    expect(new Set(cases.map(({ phase }) => phase))).toEqual(new Set(PATH));
    expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length);
  });

  it("goes from a plan to the end, and decides each case on the way", async () => {
    const walk = await beginWalk();
    try {
      const seen: string[] = [];
      for (const phase of PATH) {
        const { effect, reason } = await walk.onwards();
        expect([phase, effect, reason, walk.phase()]).toEqual([phase, "allow", reason, phase]);
        for (const { id, tool, args, must, code } of cases.filter((one) => one.phase === phase)) {
          const decision = await walk.call(tool, args);
          const codes = decision.votes
            .filter((vote) => vote.effect === "deny")
            .map((vote) => vote.code);
          expect([id, decision.effect], decision.reason).toEqual([id, must]);
          if (code !== undefined) expect(codes, `${id}: ${decision.reason}`).toContain(code);
          seen.push(id);
        }
      }
      expect(seen).toHaveLength(cases.length);
    } finally {
      await walk.end();
    }
  });
});

describe("packages", () => {
  const PLACES = [
    "node_modules/left/index.js",
    "node_modules/left.test.js",
    "tests/node_modules/left.ts",
    "src/node_modules/__tests__/left.js",
  ];
  const LINES = [
    ...[
      "echo x > node_modules/left/index.js",
      "cp -r src node_modules/left",
      "ln -s ../src node_modules",
      "rm -rf node_modules",
    ],
    ...[
      "rm -rf packages/a/node_modules",
      "cd node_modules && touch left.js",
      "npm test > node_modules/left.test.js",
    ],
    ...[
      "mv src/add.js node_modules/add.test.js",
      "sed -i s/a/b/ node_modules/left/index.js",
      "touch node_modules",
    ],
    ...[
      "npm install left",
      "npm i left",
      "npm isntall left",
      "npm ci",
      "npm --prefix . add left",
      "npm it",
      "npm rm left",
      "npm link ../left",
    ],
    ...[
      "npm up",
      "npm rebuild",
      "env npm i left",
      "sh -c 'npm i left'",
      "npm test && npm i left",
      "yarn",
      "yarn add left",
      "pnpm add left",
    ],
    ...[
      "pnpm i",
      "pnpm it",
      "bun add left",
      "npx npm i left",
      "corepack yarn add left",
      "deno install",
      "npx patch-package left",
    ],
  ];

  it("must not be written or installed in any phase", async () => {
    const walk = await beginWalk();
    try {
      for (const phase of PATH) {
        await walk.onwards();
        expect(walk.phase()).toBe(phase);
        const calls = [
          ...PLACES.flatMap((path) =>
            ["write_files", "edit_files"].map((tool) => ({ tool, args: { path, content: "x" } })),
          ),
          ...LINES.map((command) => ({ tool: "bash", args: { command } })),
        ];
        for (const { tool, args } of calls) {
          const { effect } = await walk.call(tool, args);
          expect([phase, tool, args, effect]).toEqual([phase, tool, args, "deny"]);
        }
      }
    } finally {
      await walk.end();
    }
  });
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

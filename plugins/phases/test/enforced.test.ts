import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createKernel } from "@bylaw/kernel";
import { pluginOf } from "@bylaw/testing";
import { phases } from "../src/index.ts";
import { CONTRACT, place } from "./kit.ts";

const made = place();
const TEXT = readFileSync(CONTRACT, "utf8");
const contract = join(made.folder, "agent_workflow.yaml");

// A stand-in for a plugin by its name, which is all that is checked.
const named = (name: string) => pluginOf(name, () => {});
const [artifacts, gates, tokens] = ["artifacts", "gates", "tokens"].map((name) =>
  named(`@bylaw/plugin-${name}`),
) as [ReturnType<typeof named>, ReturnType<typeof named>, ReturnType<typeof named>];

describe("a part of a contract", () => {
  it("that nothing enforces keeps the configuration from loading, and the error names the lines to add", () => {
    const problem = (
      plugins: readonly ReturnType<typeof named>[],
      elsewhere: readonly ("artifacts" | "gates" | "tokens")[] = [],
    ) => {
      try {
        createKernel({ plugins: [phases({ contract, elsewhere: [...elsewhere] }), ...plugins] });
        return undefined;
      } catch (error) {
        return error as Error & { readonly code: string; readonly fix: string };
      }
    };
    expect(problem([])).toMatchObject({
      code: "BYLAW_CONTRACT_UNENFORCED",
      message: expect.stringContaining(
        "`@bylaw/plugin-artifacts`, `@bylaw/plugin-gates`, `@bylaw/plugin-tokens`",
      ),
    });
    const { message = "", fix = "" } = problem([artifacts, tokens]) ?? {};
    expect(message).toMatch(/^The contract asks for gates, .* lacks `@bylaw\/plugin-gates`$/);
    expect(fix).toContain(
      `\`gates({ contract: ${JSON.stringify(contract)} })\` of \`@bylaw/plugin-gates\``,
    );
    expect(fix).toContain('`elsewhere: ["gates"]`');
    expect(problem([artifacts, gates, tokens])).toBeUndefined();
    expect(problem([tokens, artifacts], ["gates"])).toBeUndefined();
    expect(problem([], ["artifacts", "gates", "tokens"])).toBeUndefined();
    // A plugin with the short name `gates` is not the gates plugin.
    expect(problem([artifacts, tokens, named("gates")])?.code).toBe("BYLAW_CONTRACT_UNENFORCED");
  });

  it("is only required if used: without artifacts, gates and tokens, phases may be used alone", () => {
    writeFileSync(
      join(made.folder, "small.yaml"),
      "bylaw: 1\nphases:\n  - { id: WORK, name: Work, allowed_tools: [read_files] }\ntransitions: []\nenforcement: { phase_tokens: { enabled: false } }\n",
    );
    expect(() =>
      createKernel({ plugins: [phases({ contract: join(made.folder, "small.yaml") })] }),
    ).not.toThrow();
    writeFileSync(
      join(made.folder, "open.yaml"),
      TEXT.replace("mode: strict", "mode: strict\n  phase_tokens: { enabled: false }"),
    );
    const plugins = [phases({ contract: join(made.folder, "open.yaml") }), artifacts, gates];
    expect(() => createKernel({ plugins })).not.toThrow();
    expect(() => phases({ contract, elsewhere: ["token" as never] })).toFailWith(
      "BYLAW_OPTIONS_INVALID",
    );
  });
});

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { allow, createKernel, type Kernel } from "@bylaw/kernel";
import { createMemoryStore, openRun, type Run } from "@bylaw/log";
import { pluginOf, temporaryFolder } from "@bylaw/testing";
import { createSigner, grantToken, tokens } from "../src/index.ts";

const SECRET = "0123456789abcdef0123456789abcdef";
const at = "2026-01-02T10:00:00.000Z";
const folder = temporaryFolder();
beforeAll(() => {
  Object.assign(process.env, { TOKENS_CONTRACT_SECRET: SECRET });
});

const permits = pluginOf(
  "permits",
  ({ hooks }) => {
    hooks.beforeToolCall.tap("all", () => allow("fine"));
    hooks.onTransition.tap("all", () => allow("fine"));
  },
  { grants: true },
);

let files = 0;
function contractOf(
  phaseTokens = "{ secret_env_var: TOKENS_CONTRACT_SECRET }",
  waived = false,
): string {
  const file = join(folder, `contract-${(files += 1)}.yaml`);
  const phases = ["PLAN", "TDD"]
    .map((id) => `  - { id: ${id}, name: ${id}, allowed_tools: [bash] }\n`)
    .join("");
  const way = `{ from: PLAN, to: TDD${waived ? ", requires_token: false" : ""} }`;
  writeFileSync(
    file,
    `bylaw: 1\nphases:\n${phases}transitions:\n  - ${way}\nenforcement:\n  mode: strict\n  phase_tokens: ${phaseTokens}\n`,
  );
  return file;
}

type Options = Parameters<typeof tokens>[0];
const kernelWith = (options: Options): Kernel =>
  createKernel({ plugins: [permits, tokens(options)] });
const openOn = (options: Options, now = () => at, store = createMemoryStore()): Promise<Run> =>
  openRun(kernelWith(options), { run: "r1", store, now });
const grant = { task: "t1", agent: "ann", phase: null, allowed_tools: ["bash"], at } as const;
const who = { agent: "ann", task: "t1" } as const;
const callCode = async (run: Run, token?: string): Promise<string> =>
  (
    await run.toolCall({
      ...who,
      tool: "bash",
      args: {},
      ...(token === undefined ? {} : { host: { token } }),
    })
  ).decision.code;
const moveCode = async (run: Run, to: string, token?: string): Promise<string> =>
  (
    await run.transition({
      ...who,
      to,
      artifacts: {},
      ...(token === undefined ? {} : { host: { token } }),
    })
  ).decision.code;
const refused = (code: string) => expect.objectContaining({ code });

describe("a contract defines", () => {
  it("where the secret of tokens is, how long they are valid and how they are signed (WF-40)", async () => {
    const contract = contractOf("{ secret_env_var: TOKENS_CONTRACT_SECRET, expiry_seconds: 60 }");
    let now = at;
    const run = await openOn({ contract }, () => now);
    const { token, claims } = await grantToken(run, createSigner({ contract }), grant);
    expect([claims.exp - claims.iat, claims.contract]).toEqual([
      60,
      createSigner({ contract }).contract,
    ]);
    now = "2026-01-02T10:00:59Z";
    expect(await callCode(run, token)).toBe("rule_allowed");
    now = "2026-01-02T10:01:00Z";
    expect(await callCode(run, token)).toBe("token_expired");
    expect(() =>
      kernelWith({ contract: contractOf("{ secret_env_var: TOKENS_NOT_SET }") }),
    ).toThrow(refused("BYLAW_TOKEN_KEY_MISSING"));
    expect(() =>
      kernelWith({
        contract: contractOf("{ algorithm: EdDSA, secret_env_var: TOKENS_CONTRACT_SECRET }"),
      }),
    ).toThrow(refused("BYLAW_TOKEN_KEY_INVALID"));
  });

  it("what the options may not loosen: another algorithm, or a longer time", async () => {
    const contract = contractOf("{ secret_env_var: TOKENS_CONTRACT_SECRET, expiry_seconds: 60 }");
    expect(() => kernelWith({ contract, algorithm: "EdDSA" })).toThrow(
      refused("BYLAW_TOKEN_CONTRACT_DIFFERS"),
    );
    expect(() => kernelWith({ contract, expiry_seconds: 61 })).toThrow(
      refused("BYLAW_TOKEN_CONTRACT_DIFFERS"),
    );
    expect(() => createSigner({ contract, expiry_seconds: 61 })).toThrow(
      refused("BYLAW_TOKEN_CONTRACT_DIFFERS"),
    );
    const { claims } = await createSigner({ contract, expiry_seconds: 30 }).sign({
      ...grant,
      run: "r1",
    });
    expect(claims.exp - claims.iat).toBe(30);
  });

  it("that there are none: then neither tokens nor a secret are needed", async () => {
    const run = await openOn({
      contract: contractOf("{ enabled: false, secret_env_var: TOKENS_NOT_SET }"),
    });
    expect(await callCode(run)).toBe("rule_allowed");
    expect(await moveCode(run, "PLAN")).toBe("rule_allowed");
  });

  it("that one transition needs none, and only that one; a bad token is refused there too", async () => {
    const contract = contractOf(undefined, true);
    const run = await openOn({ contract });
    expect(await moveCode(run, "PLAN")).toBe("token_missing");
    const first = await grantToken(run, createSigner({ contract }), grant);
    expect(await moveCode(run, "PLAN", first.token)).toBe("rule_allowed");
    expect(await callCode(run)).toBe("token_missing");
    expect(await moveCode(run, "@completed")).toBe("token_missing");
    expect(await moveCode(run, "TDD", first.token)).toBe("token_superseded");
    expect(await moveCode(run, "TDD", "nonsense")).toBe("token_malformed");
    expect(await moveCode(run, "TDD")).toBe("rule_allowed");
    expect(await moveCode(run, "PLAN")).toBe("token_missing");
  });

  it("that they belong to one session: they are void when the run is resumed", async () => {
    const contract = contractOf(
      "{ secret_env_var: TOKENS_CONTRACT_SECRET, include_claims: [task_id, session] }",
    );
    const store = createMemoryStore();
    const run = await openOn({ contract }, undefined, store);
    const { token, claims } = await grantToken(run, createSigner({ contract }), grant);
    expect(claims.session).toBe(run.session);
    expect(await callCode(run, token)).toBe("rule_allowed");
    const again = await openOn({ contract }, undefined, store);
    expect(await callCode(again, token)).toBe("token_other_session");
    await expect(createSigner({ contract }).sign({ ...grant, run: "r1" })).rejects.toEqual(
      refused("BYLAW_TOKEN_SESSION_MISSING"),
    );
    const plain = contractOf();
    expect(
      (await createSigner({ contract: plain }).sign({ ...grant, run: "r1", session: run.session }))
        .claims.session,
    ).toBeUndefined();
  });
});

describe("a token", () => {
  it("for a phase that the contract does not have is not signed (WF-41)", async () => {
    const signer = createSigner({ contract: contractOf() });
    for (const phase of ["IMPL", "plan", "@completed", "__proto__"]) {
      await expect(signer.sign({ ...grant, run: "r1", phase }), phase).rejects.toEqual(
        refused("BYLAW_TOKEN_PHASE_UNKNOWN"),
      );
    }
    await expect(signer.sign({ ...grant, run: "r1", phase: "PLAN" })).resolves.toBeDefined();
  });

  it("is different for each task and phase, and each time (WF-42)", async () => {
    const signer = createSigner({ contract: contractOf() });
    const signed = await Promise.all([
      signer.sign({ ...grant, run: "r1" }),
      signer.sign({ ...grant, run: "r1" }),
      signer.sign({ ...grant, run: "r1", task: "t2" }),
      signer.sign({ ...grant, run: "r1", phase: "PLAN" }),
      signer.sign({ ...grant, run: "r1", phase: "TDD" }),
    ]);
    expect(new Set(signed.map(({ token }) => token)).size).toBe(5);
    expect(new Set(signed.map(({ claims }) => claims.jti)).size).toBe(5);
  });

  it("of PLAN is not accepted in TDD, even if it is the newest (WF-45)", async () => {
    const contract = contractOf();
    const signer = createSigner({ contract });
    const run = await openOn({ contract });
    const first = await grantToken(run, signer, grant);
    await moveCode(run, "PLAN", first.token);
    const plan = await grantToken(run, signer, { ...grant, phase: "PLAN" });
    await moveCode(run, "TDD", plan.token);
    expect(await callCode(run, plan.token)).toBe("token_superseded");
    // A host that grants for an old phase grants a useless token.
    const stale = await grantToken(run, signer, { ...grant, phase: "PLAN" });
    expect(await callCode(run, stale.token)).toBe("token_other_phase");
  });
});

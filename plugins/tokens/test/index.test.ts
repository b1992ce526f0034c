import { createHmac, generateKeyPairSync } from "node:crypto";
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { allow, createKernel, type Kernel, type Plugin } from "@bylaw/kernel";
import { createMemoryStore, createLogVerifier, openRun, type Run } from "@bylaw/log";
import { describeExamples, pluginOf, temporaryFolder } from "@bylaw/testing";
import { z } from "zod";
import { examples } from "../examples.ts";
import { createSigner, grantToken, tokens } from "../src/index.ts";

describeExamples(examples, { describe, it });

const SECRET = "0123456789abcdef0123456789abcdef";
const OTHER = "fedcba9876543210fedcba9876543210";
const keys = [{ id: "now", env: "TOKENS_TEST_SECRET" }];
const at = "2026-01-02T10:00:00.000Z";
const grant = { task: "t1", agent: "ann", phase: null, allowed_tools: ["bash"], at };
const folder = temporaryFolder();
beforeAll(() => {
  Object.assign(process.env, { TOKENS_TEST_SECRET: SECRET, TOKENS_TEST_OTHER: OTHER });
});

const permits = pluginOf(
  "permits",
  ({ hooks }) => {
    hooks.beforeToolCall.tap("all", () => allow("fine"));
    hooks.onTransition.tap("all", () => allow("fine"));
  },
  { grants: true },
);
const kernelWith = (plugin: Plugin): Kernel => createKernel({ plugins: [permits, plugin] });
const signer = createSigner.bind(undefined, { keys });
const openOn = (
  plugin = tokens({ keys }),
  now = () => at,
  store = createMemoryStore(),
): Promise<Run> => openRun(kernelWith(plugin), { run: "r1", store, now });

const call = (token: string | undefined, fields: object = {}) => ({
  id: "c1",
  agent: "ann",
  task: "t1",
  tool: "bash",
  args: {},
  ...(token === undefined ? {} : { host: { token } }),
  ...fields,
});
const codeOf = async (run: Run, token: string | undefined, fields: object = {}): Promise<string> =>
  (await run.toolCall(call(token, fields))).decision.code;
const move = (run: Run, token: string, to: string, fields: object = {}) =>
  run.transition({ agent: "ann", task: "t1", to, artifacts: {}, host: { token }, ...fields });

describe("a token", () => {
  it("works for its task, phase by phase, and ends with each (WF-46, WF-101)", async () => {
    const run = await openOn();
    const first = await grantToken(run, signer(), grant);
    expect(await codeOf(run, first.token)).toBe("rule_allowed");
    expect((await move(run, first.token, "PLAN")).decision.effect).toBe("allow");
    expect(await codeOf(run, first.token)).toBe("token_superseded");
    expect((await move(run, first.token, "TDD")).decision.code).toBe("token_superseded");
    const second = await grantToken(run, signer(), { ...grant, phase: "PLAN" });
    expect(await codeOf(run, second.token)).toBe("rule_allowed");
    expect(await codeOf(run, second.token, { tool: "git_commit" })).toBe("token_tool");
  });

  it("of a phase that the task returns to stays void", async () => {
    const run = await openOn();
    const enter = async (from: string | null, to: string): Promise<string> => {
      const { token } = await grantToken(run, signer(), { ...grant, phase: from });
      await move(run, token, to);
      return token;
    };
    await enter(null, "IMPL");
    const old = await grantToken(run, signer(), { ...grant, phase: "IMPL" });
    await move(run, old.token, "REVIEW");
    await enter("REVIEW", "IMPL");
    expect(await codeOf(run, old.token)).toBe("token_superseded");
  });

  it("is void once another is granted, or it is revoked", async () => {
    const run = await openOn();
    const first = await grantToken(run, signer(), grant);
    const second = await grantToken(run, signer(), grant);
    expect([await codeOf(run, first.token), await codeOf(run, second.token)]).toEqual([
      "token_superseded",
      "rule_allowed",
    ]);
    await run.record([
      { event_type: "token_revoked", agent_id: null, task_id: "t1", details: { reason: "lost" } },
    ]);
    expect(await codeOf(run, second.token)).toBe("token_superseded");
  });

  it("is void once its task is claimed again, by another agent or the same", async () => {
    const claims = pluginOf("claims", (kernel) =>
      kernel.event({ name: "task_claimed", details: z.strictObject({ fence: z.number() }) }),
    );
    const run = await openRun(createKernel({ plugins: [permits, claims, tokens({ keys })] }), {
      run: "r1",
      now: () => at,
    });
    const claimed = (task_id: string, agent_id: string, fence: number) =>
      run.record([{ event_type: "task_claimed", agent_id, task_id, details: { fence } }]);
    await claimed("t1", "ann", 1);
    const first = await grantToken(run, signer(), { ...grant, fence: 1 });
    await claimed("t2", "bob", 1);
    expect(await codeOf(run, first.token)).toBe("rule_allowed");
    await claimed("t1", "ann", 2);
    expect(await codeOf(run, first.token)).toBe("token_superseded");
    const second = await grantToken(run, signer(), { ...grant, fence: 2 });
    await claimed("t1", "bob", 3);
    expect(await codeOf(run, second.token)).toBe("token_superseded");
  });

  it.each(["task_released", "task_failed", "task_lapsed", "task_escalated"])(
    "is void once %s ends its claim",
    async (event_type) => {
      const claims = pluginOf("claims", (kernel) =>
        kernel.event({ name: event_type, details: z.strictObject({}) }),
      );
      const run = await openRun(createKernel({ plugins: [permits, claims, tokens({ keys })] }), {
        run: "r1",
        now: () => at,
      });
      const { token } = await grantToken(run, signer(), grant);
      await run.record([{ event_type, agent_id: "ann", task_id: "t2", details: {} }]);
      expect(await codeOf(run, token)).toBe("rule_allowed");
      await run.record([{ event_type, agent_id: "ann", task_id: "t1", details: {} }]);
      expect(await codeOf(run, token)).toBe("token_superseded");
    },
  );

  it("that the log does not know is useless, however well it is signed", async () => {
    const run = await openOn();
    const { token } = await signer().sign({ ...grant, run: "r1" });
    expect(await codeOf(run, token)).toBe("token_superseded");
  });

  it("of one task, agent or run is useless for another (WF-43, WF-50, WF-106)", async () => {
    const run = await openOn();
    const { token } = await grantToken(run, signer(), grant);
    expect(await codeOf(run, token, { task: "t2" })).toBe("token_other_task");
    expect(await codeOf(run, token, { task: undefined })).toBe("token_other_task");
    expect(await codeOf(run, token, { agent: "bob" })).toBe("token_other_agent");
    expect(await codeOf(run, token, { agent: undefined })).toBe("token_other_agent");
    // The caller's values for run, phase and time are ignored.
    expect(await codeOf(run, token, { run: "r2", phase: "PLAN", at: "2020-01-01T00:00:00Z" })).toBe(
      "rule_allowed",
    );
    const other = await openRun(kernelWith(tokens({ keys })), { run: "r2", now: () => at });
    expect(await codeOf(other, token)).toBe("token_other_run");
  });

  it("is valid from its beginning to its end, by the run's clock (WF-40, WF-49)", async () => {
    let now = at;
    const run = await openOn(
      tokens({ keys, expiry_seconds: 60, clock_tolerance_seconds: 5 }),
      () => now,
    );
    const { token, claims } = await grantToken(run, createSigner({ keys, expiry_seconds: 60 }), {
      ...grant,
      at: "2026-01-02T10:00:10Z",
    });
    expect(claims).toMatchObject({
      iat: claims.nbf,
      exp: claims.iat + 60,
      task_id: "t1",
      agent: "ann",
      phase: null,
      run: "r1",
    });
    const codeAt = (time: string): Promise<string> => ((now = time), codeOf(run, token));
    expect(await codeAt("2026-01-02T10:00:04.999Z")).toBe("token_not_yet_valid");
    expect(await codeAt("2026-01-02T10:00:05Z")).toBe("rule_allowed");
    expect(await codeAt("2026-01-02T10:01:14.999Z")).toBe("rule_allowed");
    expect(await codeAt("2026-01-02T10:01:15Z")).toBe("token_expired");
  });

  it("of another contract is refused (WF-48)", async () => {
    const [left, right] = ["left", "right"].map((name) => {
      const file = join(folder, `${name}.yaml`);
      const phase = "{ id: PLAN, name: Plan, allowed_tools: [bash], forbidden_tools: [] }";
      writeFileSync(
        file,
        `name: ${name}\nphases:\n  - ${phase}\ntransitions: []\nenforcement: { mode: strict }\n`,
      );
      return { keys, contract: file };
    });
    const run = await openOn(tokens(left));
    const { token } = await grantToken(run, createSigner(right), grant);
    expect(await codeOf(run, token)).toBe("token_other_contract");
    expect(await codeOf(run, (await grantToken(run, createSigner(left), grant)).token)).toBe(
      "rule_allowed",
    );
    const without = await grantToken(run, signer(), grant);
    expect(await codeOf(run, without.token)).toBe("token_other_contract");
    // A different comment does not make another contract.
    const before = createSigner(left).contract;
    appendFileSync(left?.contract ?? "", "# seen\n");
    expect(createSigner(left).contract).toBe(before);
  });

  it("may be for a task with a very long or strange name (WF-44)", async () => {
    const run = await openOn();
    for (const task of [
      "x".repeat(10_000),
      "__proto__",
      "tâche \u202e\n'; --",
      "../../etc/passwd",
    ]) {
      const { token } = await grantToken(run, signer(), { ...grant, task });
      expect(await codeOf(run, token, { task })).toBe("rule_allowed");
      expect(await codeOf(run, token, { task: `${task} ` })).toBe("token_other_task");
    }
  });

  it("is issued by the run's clock if no time is given", async () => {
    const run = await openOn();
    const { token, claims } = await grantToken(run, signer(), {
      task: "t1",
      agent: "ann",
      phase: null,
      allowed_tools: ["bash"],
    });
    expect(claims.iat).toBe(Date.parse(at) / 1_000);
    expect(await codeOf(run, token)).toBe("rule_allowed");
  });

  it("stays out of the log, and so does the secret", async () => {
    const store = createMemoryStore();
    const run = await openOn(tokens({ keys }), () => at, store);
    const { token } = await grantToken(run, signer(), grant);
    await codeOf(run, token);
    await codeOf(run, `${token}x`);
    await move(run, token, "PLAN");
    const log = await store.events("r1", 0, 100);
    const text = JSON.stringify(log);
    for (const secret of [token, token.split(".")[2] ?? "", SECRET])
      expect(text).not.toContain(secret);
    const verifier = createLogVerifier();
    const unknown = new Set(["token_issued", "token_revoked"]);
    for (const event of log.filter(({ event_type }) => !unknown.has(event_type)))
      expect(event.event_type).not.toContain("token");
    expect(
      log
        .flatMap((event) => verifier.line(JSON.stringify(event)))
        .filter(({ severity }) => severity === "error"),
    ).toEqual([]);
  });
});

describe("a text that is not our token", () => {
  const encode = (value: unknown): string =>
    Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = {
    iss: "bylaw",
    jti: "j",
    run: "r1",
    task_id: "t1",
    agent: "ann",
    phase: null,
    allowed_tools: ["bash"],
    contract: null,
    iat: 1_767_348_000,
    nbf: 1_767_348_000,
    exp: 1_867_348_000,
  };
  const head = { alg: "HS256", typ: "JWT", kid: "now" };
  const signed = (header: object, payload: object, secret = SECRET, digest = "sha256"): string => {
    const text = `${encode(header)}.${encode(payload)}`;
    return `${text}.${createHmac(digest, secret).update(text).digest("base64url")}`;
  };

  it("is refused, each with its code (WF-43, WF-47)", async () => {
    const run = await openOn();
    const good = signed(head, claims);
    const cases: readonly (readonly [string, string | undefined])[] = [
      ["token_missing", undefined],
      ["token_missing", ""],
      ["token_malformed", "x"],
      ["token_malformed", "a.b.c"],
      ["token_malformed", "x".repeat(200_000)],
      ["token_malformed", `${encode({ alg: "HS256", typ: "JWT" })}.${encode(claims)}.x`],
      ["token_forged", `${encode({ ...head, alg: "none" })}.${encode(claims)}.`],
      ["token_forged", signed({ ...head, alg: "HS512" }, claims, SECRET, "sha512")],
      ["token_forged", signed(head, claims, OTHER)],
      ["token_forged", `${good}x`],
      ["token_forged", good.slice(0, -3)],
      ["token_malformed", good.slice(0, -2)],
      [
        "token_forged",
        `${good.split(".")[0] ?? ""}.${encode({ ...claims, agent: "bob" })}.${good.split(".")[2] ?? ""}`,
      ],
      ["token_malformed", signed({ ...head, crit: ["b64"], b64: false }, claims)],
      ["token_key_unknown", signed({ ...head, kid: "later" }, claims)],
      ["token_malformed", signed(head, { ...claims, admin: true })],
      ["token_malformed", signed(head, { ...claims, allowed_tools: "bash" })],
      ["token_malformed", signed(head, { ...claims, exp: "never" })],
      ["token_malformed", signed(head, { ...claims, iss: "somebody" })],
      ["token_superseded", good],
    ];
    for (const [code, token] of cases)
      expect([code, token?.slice(0, 80), await codeOf(run, token)]).toEqual([
        code,
        token?.slice(0, 80),
        code,
      ]);
    expect(await codeOf(run, undefined, { host: { token: { toString: "x" } } })).toBe(
      "token_missing",
    );
    expect(await codeOf(run, undefined, { claims })).toBe("token_missing");
    expect(await codeOf(run, undefined, { facts: { "@bylaw/plugin-tokens": { claims } } })).toBe(
      "invalid_call",
    );
  });

  it("is refused in every spelling but one, although it decodes to the same bytes", async () => {
    const run = await openOn();
    const { token } = await grantToken(run, signer(), grant);
    const mac = (text: string): string =>
      createHmac("sha256", SECRET).update(text).digest("base64url");
    /** The same bytes, with unused bits set at the end. */
    const stray = (part: string): string => {
      const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
      return `${part.slice(0, -1)}${alphabet[alphabet.indexOf(part.at(-1) ?? "") + 1] ?? ""}`;
    };
    // A blank after the JSON makes each part end within a character.
    const [head = "", body = ""] = token.split(".").map((part, index) => {
      const bytes = Buffer.from(part, "base64url");
      return index === 2 || bytes.length % 3 !== 0
        ? part
        : Buffer.concat([bytes, Buffer.from(" ")]).toString("base64url");
    });
    const plain = `${head}.${body}.${mac(`${head}.${body}`)}`;
    expect(await codeOf(run, plain)).toBe("rule_allowed");
    const signature = mac(`${head}.${body}`);
    const spellings = [
      stray(signature),
      `${signature}=`,
      `${signature}\n`,
      ` ${signature}`,
      `${signature.slice(0, 9)} ${signature.slice(9)}`,
    ];
    const tokensOf = [
      ...spellings.map((text) => `${head}.${body}.${text}`),
      ...[stray(head), `${head}=`, `${head} `].map(
        (text) => `${text}.${body}.${mac(`${text}.${body}`)}`,
      ),
      ...[stray(body), `${body}=`, `${body}\n`].map(
        (text) => `${head}.${text}.${mac(`${head}.${text}`)}`,
      ),
    ];
    for (const text of tokensOf)
      expect([text, await codeOf(run, text)]).toEqual([text, "token_malformed"]);
    // The alphabet of plain base64: some signatures contain one of its two extra characters.
    let changed = 0;
    for (let left = 20; left > 0; left -= 1) {
      const { token: next } = await grantToken(run, signer(), grant);
      const other = next.replaceAll("-", "+").replaceAll("_", "/");
      if (other === next) continue;
      changed += 1;
      expect(await codeOf(run, other)).toBe("token_malformed");
    }
    expect(changed).toBeGreaterThan(0);
  });

  it("is refused if any claim differs from the log's for its id, even with the right key", async () => {
    const run = await openOn();
    const { token, claims: issued } = await grantToken(run, signer(), { ...grant, fence: 1 });
    const changes = [
      { allowed_tools: ["bash", "write_files"] },
      { agent: "bob" },
      { iat: 1 },
      { nbf: 1 },
      { exp: issued.exp + 1 },
      { fence: 2 },
      { session: "s" },
      { phase: "PLAN" },
    ];
    for (const change of changes) {
      const made = signed(head, { ...issued, ...change });
      const fields = { agent: "agent" in change ? change.agent : "ann" };
      expect([change, await codeOf(run, made, fields)]).toEqual([change, "token_not_issued"]);
    }
    expect(await codeOf(run, signed(head, issued))).toBe("rule_allowed");
    expect(await codeOf(run, token)).toBe("rule_allowed");
  });

  it("is refused by a kernel that did not prepare it, and if the time is unknown", async () => {
    const kernel = kernelWith(tokens({ keys }));
    const { token } = await signer().sign({ ...grant, run: "r1" });
    const subject = { hook: "beforeToolCall", run: "r1", ...call(token) } as const;
    expect(await kernel.decidePrepared(subject)).toMatchObject({
      effect: "deny",
      code: "token_missing",
    });
    expect(await kernel.decide(subject)).toMatchObject({ effect: "deny", code: "token_undated" });
  });

  it("is refused in every enforcement mode", async () => {
    for (const enforcement_mode of ["strict", "permissive", "advisory"] as const) {
      const kernel = createKernel({ plugins: [permits, tokens({ keys })], enforcement_mode });
      const run = await openRun(kernel, { run: "r1", now: () => at });
      expect((await run.toolCall(call(undefined))).applied).toBe("deny");
    }
  });
});

describe("keys", () => {
  const rotated = [{ id: "next", env: "TOKENS_TEST_OTHER" }, ...keys];

  it("overlap: the first signs, the others still verify", async () => {
    const run = await openOn(tokens({ keys: rotated }));
    const old = await grantToken(run, signer(), grant);
    expect(await codeOf(run, old.token)).toBe("rule_allowed");
    const fresh = await grantToken(run, createSigner({ keys: rotated }), grant);
    expect(await codeOf(run, fresh.token)).toBe("rule_allowed");
    const before = await openRun(kernelWith(tokens({ keys })), { run: "r1", now: () => at });
    expect(await codeOf(before, fresh.token)).toBe("token_key_unknown");
  });

  it("of Ed25519 sign with one half and verify with the other", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("ed25519");
    writeFileSync(join(folder, "key.pem"), privateKey.export({ type: "pkcs8", format: "pem" }), {
      mode: 0o600,
    });
    writeFileSync(join(folder, "key.pub"), publicKey.export({ type: "spki", format: "pem" }));
    const pair = (file: string) => ({
      algorithm: "EdDSA" as const,
      keys: [{ id: "ed", file: join(folder, file) }],
    });
    const run = await openOn(tokens(pair("key.pub")));
    const { token } = await grantToken(run, createSigner(pair("key.pem")), grant);
    expect(await codeOf(run, token)).toBe("rule_allowed");
    await expect(createSigner(pair("key.pub")).sign({ ...grant, run: "r1" })).rejects.toFailWith(
      "BYLAW_TOKEN_KEY_INVALID",
    );
    // The public half is no secret, so a token that is signed with it as a secret is forged.
    const text = publicKey.export({ type: "spki", format: "pem" }).toString();
    const head = Buffer.from('{"alg":"HS256","typ":"JWT","kid":"ed"}').toString("base64url");
    const body = token.split(".")[1] ?? "";
    const forged = `${head}.${body}.${createHmac("sha256", text).update(`${head}.${body}`).digest("base64url")}`;
    expect(await codeOf(run, forged)).toBe("token_forged");
  });

  it("that are missing, short or of another kind are refused when the configuration is read, and not shown", () => {
    const short = join(folder, "short");
    writeFileSync(short, "only thirty-one bytes are here.\n", { mode: 0o600 });
    const exposed = join(folder, "exposed");
    writeFileSync(exposed, `${SECRET}\n`, { mode: 0o644 });
    const half = join(folder, "exposed.pem");
    writeFileSync(
      half,
      generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }),
      { mode: 0o644 },
    );
    process.env["TOKENS_TEST_SHORT"] = "short and secret";
    const refused: readonly (readonly [string, object])[] = [
      ["BYLAW_TOKEN_KEY_MISSING", { keys: [{ id: "a", env: "TOKENS_TEST_UNSET" }] }],
      ["BYLAW_TOKEN_KEY_MISSING", { keys: [{ id: "a", file: join(folder, "absent") }] }],
      ["BYLAW_TOKEN_KEY_INVALID", { keys: [{ id: "a", file: short }] }],
      ["BYLAW_KEY_EXPOSED", { keys: [{ id: "a", file: exposed }] }],
      ["BYLAW_KEY_EXPOSED", { algorithm: "EdDSA", keys: [{ id: "a", file: half }] }],
      ["BYLAW_TOKEN_KEY_INVALID", { keys: [{ id: "a", env: "TOKENS_TEST_SHORT" }] }],
      ["BYLAW_TOKEN_KEY_INVALID", { algorithm: "EdDSA", keys }],
      ["BYLAW_OPTIONS_INVALID", { keys: [] }],
      ["BYLAW_OPTIONS_INVALID", { keys: [...keys, ...keys] }],
      ["BYLAW_OPTIONS_INVALID", { keys: [{ id: "a", secret: SECRET }] }],
      ["BYLAW_OPTIONS_INVALID", { algorithm: "none" }],
    ];
    for (const [code, options] of refused) {
      const attempt = (): Kernel => kernelWith(tokens(options as Parameters<typeof tokens>[0]));
      expect(attempt, JSON.stringify(options)).toFailWith(code);
      expect(attempt).not.toThrow(/short and secret|thirty-one|0123456789abcdef/);
    }
  });

  it("come from the variable of the workflow orchestrator if no other is set", async () => {
    const before = { ...process.env };
    delete process.env["BYLAW_JWT_SECRET"];
    process.env["ORCHESTRATOR_JWT_SECRET"] = SECRET;
    try {
      const run = await openOn(tokens());
      const { token } = await grantToken(run, createSigner(), grant);
      expect(await codeOf(run, token)).toBe("rule_allowed");
    } finally {
      process.env = before;
    }
  });
});

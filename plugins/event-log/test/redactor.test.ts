import { createHash, createHmac } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { canonicalJson, type Json, type JsonObject } from "@bylaw/kernel";
import * as fc from "fast-check";
import { readCases, temporaryFolder } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { createRedactor, type RedactOptions } from "../src/redactor.ts";

const SECRET = "hunter2-and-more";
const TOKEN = ["gh", "p_", "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2"].join("");
const sha256 = (value: Json): string =>
  `sha256:${createHash("sha256").update(canonicalJson(value)).digest("hex")}`;

/** The details after redaction. */
function redacted(details: JsonObject, options: Partial<RedactOptions> = {}): JsonObject {
  const redact = createRedactor({
    paths: ["args.password", "args.*.token", "**.authorization"],
    secrets: true,
    ...options,
  });
  return redact({
    timestamp: "",
    session_id: "",
    event_type: "tool_allowed",
    agent_id: null,
    task_id: null,
    details,
  });
}

describe("a redactor", () => {
  it("leaves a digest in place of a named value, and lists the places", () => {
    const details = {
      tool: "t",
      args: { password: SECRET, list: [{ token: { a: 1 } }], keep: "this" },
      deep: { Authorization: [1, 2] },
    };
    expect(redacted(details)).toEqual({
      tool: "t",
      args: { password: { redacted: sha256(SECRET) }, list: [{ token: { a: 1 } }], keep: "this" },
      deep: { Authorization: { redacted: sha256([1, 2]) } },
      redacted: ["args.password", "deep.Authorization"],
    });
    expect(redacted({ args: { one: { token: { b: 1, a: 2 } } } })).toMatchObject({
      args: { one: { token: { redacted: sha256({ a: 2, b: 1 }) } } },
    });
  });

  it("leaves a mark within a text in place of a recognized secret", () => {
    expect(redacted({ args: { command: `curl -H "X: ${TOKEN}" a` } })).toEqual({
      args: { command: `curl -H "X: [redacted ${sha256(TOKEN)}]" a` },
      redacted: ["args.command"],
    });
  });

  it("removes a text whose key names a secret, whatever precedes that in the key", () => {
    const env = {
      DB_PASSWORD: SECRET,
      awsSecretAccessKey: SECRET,
      "x-api-key": SECRET,
      PGPASSWORD2: SECRET,
      githubAuthToken: SECRET,
    };
    expect(Object.values(redacted({ args: { env } })["args"] as JsonObject)).toEqual([
      Object.fromEntries(Object.keys(env).map((key) => [key, { redacted: sha256(SECRET) }])),
    ]);
    expect(
      redacted({
        args: { list: [{ DB_PASSWORD: "abc" }] },
        decision: { reason: "Unexpected `abc`" },
      }),
    ).toMatchObject({ decision: { reason: `Unexpected \`[redacted ${sha256("abc")}]\`` } });
    for (const kept of [
      { DB_PASSWORD: "${input:db}" },
      { has_password: true },
      { next_page_token: "abc" },
      { passwordPolicy: "strict" },
    ]) {
      expect(redacted({ args: { kept } })).toEqual({ args: { kept } });
    }
    expect(
      redacted({ tool: "bash", decision: { DB_PASSWORD: SECRET }, args: { a_secret: "bash" } }),
    ).toMatchObject({ tool: "bash", decision: { DB_PASSWORD: SECRET } });
    expect(redacted({ args: { env } }, { secrets: false })).toEqual({ args: { env } });
  });

  it("leaves no half of a character in a text that begins like a secret", () => {
    const left = redacted({
      args: { password: "abcdefghijklmno\u{1f600}" },
      result: "an abcdefghijklmno\u{1f601}",
    });
    expect(left["result"]).toMatch(/^an \[redacted sha256:[0-9a-f]{64}\]$/);
    expect(JSON.stringify(left).isWellFormed() && String(left["result"]).isWellFormed()).toBe(true);
  });

  it("returns details without a secret unchanged, as the same object", () => {
    const details = {
      tool: "t",
      args: { path: "a.md" },
      decision: { code: "rule_allowed", policy: { p: sha256("x") } },
    };
    expect(redacted(details)).toBe(details);
  });

  it("removes an argument's secret from a reason, also cut off, on one line, as JSON or in a URL, and if it is short", () => {
    const secret = 'a "quoted"\n  secret of some length';
    const votes = [
      {
        plugin: "p",
        reason: `in JSON ${JSON.stringify(secret)}`,
        error: `cut ${secret.slice(0, 22)}…`,
      },
    ];
    const decision = {
      reason: `said ${secret}`,
      fix: `one line: ${secret.replace(/\s+/g, " ")}`,
      message: encodeURIComponent(secret),
      votes,
    };
    const told = JSON.stringify(redacted({ args: { password: secret }, decision }));
    for (const part of ["quoted", "secret of"]) expect(told).not.toContain(part);
    const short = redacted({
      args: { password: "abc" },
      decision: { reason: "Unexpected `abc`, expected no abcdef", code: "abc" },
    });
    expect(short).toMatchObject({
      decision: {
        reason: `Unexpected \`[redacted ${sha256("abc")}]\`, expected no abcdef`,
        code: "abc",
      },
    });
  });

  it("removes a secret wherever the event repeats it", () => {
    const details = {
      args: { password: SECRET, command: `login ${SECRET}`, env: [`P=${SECRET}x`] },
      result: { [TOKEN]: TOKEN.slice(0, 30), [SECRET]: 1 },
      error_message: `cannot log in with ${SECRET}`,
      decision: { reason: TOKEN },
    };
    const told = JSON.stringify(redacted(details));
    expect(told).not.toContain(SECRET);
    expect(told).not.toContain(TOKEN.slice(0, 20));
  });

  it("removes secrets from keys, and never makes two keys equal", () => {
    const left = redacted({ args: { [TOKEN]: 1, [`[redacted ${sha256(TOKEN)}]`]: 2 } });
    expect(Object.values(left["args"] as JsonObject)).toEqual([1, 2]);
    expect(JSON.stringify(left)).not.toContain(TOKEN);
  });

  it("keeps the names of arguments, whatever an agent uses as its password", () => {
    expect(redacted({ args: { password: "command", command: "ls" } })).toMatchObject({
      args: { command: "ls" },
    });
  });

  it("changes nothing that the run reads, whatever an agent uses as its password", () => {
    const decision = {
      effect: "deny",
      applied: "deny",
      code: "rule_denied",
      approval: 7,
      by: "plugin/tap",
      policy: { plugin: sha256("p") },
      rule: { name: "no-force-push", file: "policy.toml", line: 3 },
      votes: [
        {
          plugin: "plugin",
          tap: "tap",
          code: "rule_denied",
          effect: "deny",
          rule: { name: "no-force-push" },
        },
      ],
      directive: { action: "checkpoint" },
    };
    const names = readCases<string>(import.meta, "names");
    for (const password of [...names, sha256("p"), sha256("d"), 7, 3]) {
      const run = {
        id: "c1",
        tool: "git_push",
        to: "BUILD",
        from: "PLAN",
        digest: sha256("d"),
        expires_at: "2026-01-01T00:00:00Z",
        by: "reviewed",
      };
      const details = {
        ...run,
        phase: "BUILD",
        action: "continue",
        status: "reviewed",
        args: { password, text: `password=${password}` },
        decision,
      };
      const {
        args: _,
        redacted: __,
        ...left
      } = redacted(details, {
        paths: ["args.password", "**.by", "**.code", "**.to", "**.approval", "**.redacted"],
      });
      const { args: ___, ...before } = details;
      expect(left).toEqual(before);
    }
  });

  it("removes nothing twice, even if it is configured twice", () => {
    const once = redacted({ args: { password: SECRET, text: `x ${TOKEN}` } });
    expect(redacted(once)).toBe(once);
  });

  it("adds to an existing list", () => {
    expect(redacted({ args: { password: "x" }, redacted: ["before"] })["redacted"]).toEqual([
      "before",
      "args.password",
    ]);
  });

  it("makes digests with a key that cannot be guessed", () => {
    const key_file = join(temporaryFolder(), "key");
    const key = Buffer.alloc(32, 7);
    writeFileSync(key_file, key, { mode: 0o600 });
    const expected = `hmac-sha256:${createHmac("sha256", key).update('"1234"').digest("hex")}`;
    expect(redacted({ args: { password: "1234" } }, { key_file })).toMatchObject({
      args: { password: { redacted: expected } },
    });
  });

  it("keeps events from being recorded if its key is exposed or missing, even events without a secret", () => {
    const key_file = join(temporaryFolder(), "key");
    expect(() => redacted({ a: 1 }, { key_file })).toFailWith("BYLAW_KEY_INVALID");
    writeFileSync(key_file, "k", { mode: 0o644 });
    expect(() => redacted({ a: 1 }, { key_file })).toFailWith("BYLAW_KEY_EXPOSED");
  });

  it("follows its options: without forms, and without paths", () => {
    const details = { args: { password: SECRET, text: TOKEN } };
    expect(redacted(details, { secrets: false })["redacted"]).toEqual(["args.password"]);
    expect(redacted(details, { paths: [] })["redacted"]).toEqual(["args.text"]);
    expect(redacted(details, { paths: [], secrets: false })).toBe(details);
  });

  it("follows paths part by part, whatever the case", () => {
    const paths = ["args.a\\.b", "args.**.pin", "result.*.*", "x.list.1"];
    const details = {
      args: { "A.B": "one", deep: [{ er: { PIN: 1234 } }], pin: 1 },
      result: { a: { b: 1 }, c: 2 },
      x: { list: ["p", "q"] },
    };
    expect(redacted(details, { paths })["redacted"]).toEqual([
      "args.A\\.B",
      "args.deep.0.er.PIN",
      "args.pin",
      "result.a.b",
      "x.list.1",
    ]);
  });

  it("leaves no named value and no token in any details", () => {
    const text = fc.oneof(fc.string(), fc.constantFrom("see ", "password=", "\n", '"'));
    const value: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.tuple(text, fc.constantFrom(TOKEN, SECRET, ""), text).map((parts) => parts.join("")),
        fc.integer(),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(
          fc.constantFrom("password", "token", "a", TOKEN, "authorization"),
          tie("value"),
          { maxKeys: 3 },
        ),
      ),
    })).value;
    fc.assert(
      fc.property(value, value, text, (args, result, reason) => {
        const told = JSON.stringify(
          redacted({
            args: { password: SECRET, args },
            result,
            decision: { reason: `${reason}${SECRET}` },
          }),
        );
        expect(told).not.toContain(SECRET);
        expect(told).not.toContain(TOKEN);
      }),
    );
  });

  it(
    "handles lists of twenty thousand secrets, and a text of a megabyte",
    { timeout: 60_000 },
    () => {
      const many = Array.from({ length: 20_000 }, (_, index) => ({
        password: `secret-number-with-a-long-beginning-${index}`,
      }));
      const same = Array.from({ length: 20_000 }, (_, index) => ({
        password: `${"a".repeat(20)}${index}`,
      }));
      const left = redacted(
        {
          args: {
            many,
            same,
            text: `${"secret-number-with-".repeat(50_000)}${"a".repeat(500_000)}`,
          },
        },
        { paths: ["**.password"] },
      );
      expect((left["redacted"] as readonly string[]).length).toBe(1_001);
      expect((left["redacted"] as readonly string[]).at(-1)).toMatch(/^and \d+ more$/);
    },
  );
});

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { BylawError } from "@bylaw/kernel";
import { faultOf, createLog } from "../src/observe/log.ts";

function logged(secrets: readonly string[] = []): {
  readonly log: ReturnType<typeof createLog>;
  readonly lines: () => readonly Record<string, unknown>[];
} {
  let text = "";
  const log = createLog({
    level: "debug",
    secrets,
    to: { write: (line: string) => void (text += line) },
  });
  const lines = () =>
    text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { log, lines };
}

const TOKEN = "eyJhbGciOiJIUzI1NiJ9.eyJhZ2VudCI6ImFubiJ9.c2lnbmF0dXJlLW9mLWl0";

test("a line is one JSON object with a level, a time and the message", () => {
  const { log, lines } = logged();
  log.info({ route: "/tasks", status: 200 }, "answered");
  expect(lines()).toMatchObject([
    {
      level: 30,
      time: expect.any(String) as string,
      route: "/tasks",
      status: 200,
      msg: "answered",
    },
  ]);
});

test("a Bylaw error has its file and its fix", () => {
  const { log, lines } = logged();
  const ours = new BylawError({
    code: "BYLAW_METRICS_DIVERGED",
    message: "Unexpected line",
    fix: "move it away",
    source: { file: "m.jsonl" },
  });
  log.error(faultOf(ours), "a sink failed");
  log.error(faultOf("nothing much"), "a sink failed");
  expect(lines()).toMatchObject([
    {
      err: "Unexpected line",
      code: "BYLAW_METRICS_DIVERGED",
      file: "m.jsonl",
      fix: "move it away",
    },
    { err: "nothing much" },
  ]);
});

test("no line contains a secret, wherever it occurs", () => {
  const { log, lines } = logged(["the secret of this server"]);
  log.warn({ authorization: "Bearer abcdefghijkl", headers: { cookie: "a=b" } }, "one");
  log.warn(
    {
      why: `Authorization: Bearer ${TOKEN}`,
      phase_token: TOKEN,
      deep: [{ note: `it was ${TOKEN}.` }],
    },
    "two",
  );
  log.error(
    { err: new Error("could not reach postgres://bylaw:hunter22@db.example/bylaw") },
    "three",
  );
  log.error(
    { err: "it is the secret of this server, really" },
    "with the secret of this server in the message",
  );
  log.info({ [TOKEN]: "as a key" }, "five");
  const text = JSON.stringify(lines());
  for (const secret of ["abcdefghijkl", "a=b", TOKEN, "hunter22", "the secret of this server"])
    expect(text).not.toContain(secret);
  expect(text).toContain("postgres://bylaw:[redacted]@db.example/bylaw");
  expect(lines()).toHaveLength(5);
});

test("text of a client causes no second line, no endless line and no failure", () => {
  const { log, lines } = logged();
  fc.assert(
    fc.property(
      fc.anything({ withBigInt: true, withNullPrototype: true, maxDepth: 8 }),
      fc.string(),
      (given, message) => {
        const before = lines().length;
        log.info({ given }, message);
        expect(lines()).toHaveLength(before + 1);
      },
    ),
    { numRuns: 50 },
  );
  log.info({ text: "line\r\nlevel: 60", long: "x".repeat(1_000_000) }, "x\ny");
  expect(JSON.stringify(lines().at(-1)).length).toBeLessThan(6_000);
});

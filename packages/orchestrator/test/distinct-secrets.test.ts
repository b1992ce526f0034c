import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isBylawError } from "@bylaw/config";
import { temporaryFolder } from "@bylaw/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { serve, type ServeOptions } from "./kit.ts";

const SAME = "one-value-for-two-things-in-this-test";
const [FIRST, SECOND] = [
  "a-first-secret-of-its-own-in-this-test",
  "a-second-secret-of-its-own-in-this-test",
] as const;

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
  mkdirSync(join(folder, "data"));
});
afterEach(() => {
  delete process.env["BYLAW_JWT_SECRET"];
});

const put = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text, { mode: 0o600 });
  return join(folder, name);
};
const operators = (...listed: readonly (readonly [name: string, token: string])[]): string =>
  put(
    "data/operators.json",
    JSON.stringify({
      operators: listed.map(([name, token]) => ({
        name,
        token: `sha256:${createHash("sha256").update(token).digest("hex")}`,
      })),
    }),
  );

const CASES: readonly (readonly [
  what: string,
  code: string,
  message: RegExp,
  options: () => ServeOptions,
])[] = [
  [
    "the secret of tokens and the secret of enrolment",
    "BYLAW_SECRET_INVALID",
    /`BYLAW_ENROL_SECRET`.*`BYLAW_JWT_SECRET`/,
    () => {
      process.env["BYLAW_JWT_SECRET"] = SAME;
      return { secrets: { enrol: SAME, operator: FIRST } };
    },
  ],
  [
    "the secret of tokens, with a line break, and the operator's token",
    "BYLAW_SECRET_INVALID",
    /`BYLAW_OPERATOR_TOKEN`.*`auth\.token_secret_file`/,
    () => ({
      secrets: { enrol: FIRST, operator: SAME },
      settings: { auth: { token_secret_file: put("jwt", `${SAME}\n\n`) } },
    }),
  ],
  [
    "the secret of enrolment and the operator's token",
    "BYLAW_SECRET_INVALID",
    /`auth\.enrol_secret_file`.*`BYLAW_OPERATOR_TOKEN`/,
    () => ({
      secrets: { operator: SAME },
      settings: { auth: { enrol_secret_file: put("enrol", `${SAME}\n`) } },
    }),
  ],
  [
    "an earlier secret of tokens and the secret of enrolment",
    "BYLAW_SECRET_INVALID",
    /`BYLAW_ENROL_SECRET`.*`auth\.old_token_secret_files`/,
    () => ({
      secrets: { enrol: SAME },
      settings: { auth: { old_token_secret_files: [put("old", SAME)] } },
    }),
  ],
  [
    "an earlier secret of tokens and the current one",
    "BYLAW_SECRET_INVALID",
    /`auth\.token_secret_file`.*`auth\.old_token_secret_files`/,
    () => ({
      secrets: { enrol: FIRST },
      settings: {
        auth: { token_secret_file: put("jwt", SAME), old_token_secret_files: [put("old", SAME)] },
      },
    }),
  ],
  [
    "the secret of enrolment and the token of a listed operator",
    "BYLAW_SECRET_INVALID",
    /`BYLAW_ENROL_SECRET`.*operator `eve`/,
    () => {
      operators(["ada", FIRST], ["eve", SAME]);
      return { secrets: { enrol: SAME } };
    },
  ],
  [
    "the token of the operator and the token of a listed operator",
    "BYLAW_SECRET_INVALID",
    /`BYLAW_OPERATOR_TOKEN`.*operator `eve`/,
    () => {
      operators(["eve", SAME]);
      return { secrets: { enrol: FIRST, operator: SAME } };
    },
  ],
  [
    "the tokens of two listed operators",
    "BYLAW_OPERATORS_INVALID",
    /`ada`.*`eve`/,
    () => {
      operators(["ada", SAME], ["eve", SAME]);
      return { secrets: { enrol: FIRST } };
    },
  ],
];

describe("equal values", () => {
  it.each(CASES)("for %s keeps the server from starting", async (_, code, message, options) => {
    const error: unknown = await serve(options(), folder).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) as string });
    // The message names both secrets and shows neither.
    if (isBylawError(error))
      expect([error.message, error.fix, error.stack].join(" ")).not.toContain(SAME);
  });

  it("in the file of operators later let nobody in through the file", async () => {
    const at = await serve({ secrets: { enrol: SAME, operator: FIRST } }, folder);
    const status = async (token: string): Promise<number> =>
      (await at.get("/tasks", `Bearer ${token}`)).status;
    operators(["eve", SECOND]);
    expect([await status(SECOND), await status(SAME)]).toEqual([200, 401]);
    operators(["eve", SAME], ["ada", SECOND]);
    expect([await status(SECOND), await status(SAME), await status(FIRST)]).toEqual([
      401, 401, 200,
    ]);
    await at.close();
  });
});

import { createHash, timingSafeEqual } from "node:crypto";
import { lstatSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isBylawError, parseJson } from "@bylaw/config";
import { BylawError, issuesOf } from "@bylaw/kernel";
import { z } from "zod";

/** A person who may answer, known by a token. */
export interface Operator {
  readonly name: string;
  /** The roles that this person may speak in. Left out: any that a gate asks for. */
  readonly roles?: readonly string[] | undefined;
}

/** Where the operators of a project stand, beside its configuration. */
export const operatorsFile = (configFile: string): string => join(dirname(configFile), ".bylaw", "operators.json");

/** Whether something stands where operators are listed. What cannot be looked at does: it must not open another way. */
export function hasOperators(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

const LARGEST = 1_048_576;
const SHORTEST = 32;

const operatorsSchema = z.strictObject({
  operators: z
    .array(
      z.strictObject({
        name: z.string().min(1).max(200),
        roles: z.array(z.string().min(1)).min(1).optional(),
        token: z.string().regex(/^sha256:[0-9a-f]{64}$/, "expected `sha256:` and 64 hexadecimal digits"),
      }),
    )
    .min(1),
});

/** An operator as a file has it: with the digest of the token. */
export type KeptOperator = z.output<typeof operatorsSchema>["operators"][number];

/** The operator who holds a token, by the file of operators; nothing for a token of nobody. Throws BYLAW_OPERATORS_INVALID. */
export function operatorOf(file: string, token: string): Operator | undefined {
  return operatorWith(readOperators(file).operators, token);
}

/** One of those who hold a token; nothing for a token of nobody. */
export function operatorWith(operators: readonly KeptOperator[], token: string): Operator | undefined {
  const digest = createHash("sha256").update(token).digest();
  const matches = operators.filter(({ token: kept }) => timingSafeEqual(Buffer.from(kept.slice("sha256:".length), "hex"), digest));
  const [operator] = token.length < SHORTEST ? [] : matches;
  return operator === undefined ? undefined : { name: operator.name, roles: operator.roles };
}

/** The operators of a file. Throws BYLAW_OPERATORS_INVALID. */
export function readOperators(file: string): z.output<typeof operatorsSchema> {
  const bad = (what: string, fix: string, cause?: unknown): BylawError =>
    new BylawError({
      code: "BYLAW_OPERATORS_INVALID",
      message: `Unexpected ${what}, expected a list of operators`,
      fix,
      source: { file },
      ...(cause === undefined ? {} : { cause }),
    });
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined || !found.isFile() || found.size > LARGEST) throw bad("link, folder or large file", "write the file itself");
  // Windows keeps such rights elsewhere.
  if (process.platform !== "win32" && (found.mode & 0o022) !== 0)
    throw bad("file that others may write", "`chmod go-w` it, and look through it");
  try {
    const parsed = operatorsSchema.safeParse(parseJson(readFileSync(file, "utf8")));
    if (parsed.success) return parsed.data;
    throw bad(`content (${issuesOf(parsed.error)})`, 'write {"operators": [{"name", "roles"?, "token": "sha256:…"}]}');
  } catch (error) {
    if (isBylawError(error) && error.code === "BYLAW_OPERATORS_INVALID") throw error;
    throw bad("file that cannot be read", "write it as JSON, readable for you", error);
  }
}

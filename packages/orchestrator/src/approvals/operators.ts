import { createHash, timingSafeEqual } from "node:crypto";
import { lstatSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isBylawError, parseJson } from "@bylaw/config";
import { BylawError } from "@bylaw/kernel";
import { describeIssues, isBlank, quote } from "@bylaw/wording";
import { z } from "zod";

/** A person who may answer, identified by a token. */
export interface Operator {
  readonly name: string;
  /** The roles that this person may use. Left out: any that a gate asks for. */
  readonly roles?: readonly string[] | undefined;
}

/** The file of a project's operators, beside its configuration. */
export const operatorsFile = (configFile: string): string =>
  join(dirname(configFile), ".bylaw", "operators.json");

/**
 * Whether anything exists at the path of the operators file. True if that cannot be checked, so that an unreadable file does not admit
 * others.
 */
export function hasOperators(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

const LARGEST = 1_048_576;
const MIN_LENGTH = 32;

const seen = z
  .string()
  .min(1)
  .refine((text) => !isBlank(text), "must not be blank");

/** Only this machine may be told without TLS, because the message says what an agent does, and a link answers. */
const webhookUrl = z.string().refine((text) => {
  const url = URL.parse(text);
  if (url === null || url.username !== "" || url.password !== "") return false;
  return (
    url.protocol === "https:" ||
    (url.protocol === "http:" && /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname))
  );
}, "must be an https URL without a user and a password");

const webhookSchema = z.strictObject({
  url: webhookUrl.describe("Where to send messages, by HTTPS"),
  form: z.enum(["json", "ntfy"]).default("json").describe("The form of the messages"),
  secret: z
    .string()
    .regex(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/, "must be `whsec_` and at least 24 bytes in base64")
    .optional()
    .describe("Signs each message, as the Standard Webhooks specification says"),
});
export type Webhook = z.output<typeof webhookSchema>;

const slackSchema = z.strictObject({
  form: z.literal("slack").describe("Messages in Slack, with `@slack/web-api`"),
  channel: z
    .string()
    .regex(/^[CDGUW][A-Z0-9]{2,20}$/, "must be the id of a person or a channel")
    .describe("The id of the person in Slack, or of a channel that only the person reads"),
  token: z
    .string()
    .regex(/^xoxb-[A-Za-z0-9-]{10,}$/, "must be the token of a bot, `xoxb-…`")
    .describe("The token of a bot with the scope `chat:write`"),
  url: webhookUrl.default("https://slack.com/api/").describe("The address of the Web API"),
});
export type SlackChannel = z.output<typeof slackSchema>;

/** A file of operators. */
export const operatorsSchema = z.strictObject({
  $schema: z.string().optional().describe("The JSON Schema of this file, for editors"),
  operators: z
    .array(
      z.strictObject({
        name: seen.max(200).describe("The name of the person or program"),
        roles: z
          .array(seen)
          .min(1)
          .optional()
          .describe("The roles that it may use. Default: any that a gate asks for"),
        token: z
          .string()
          .regex(/^sha256:[0-9a-f]{64}$/, "must be `sha256:` and 64 hexadecimal digits")
          .describe("The SHA-256 of its token, in hexadecimal digits"),
        notify: z
          .union([webhookSchema, slackSchema])
          .optional()
          .describe("Where to tell it about questions"),
      }),
    )
    .min(1)
    .describe("Who may answer"),
});

/** An operator as the file has it, with the digest of the token. */
export type KeptOperator = z.output<typeof operatorsSchema>["operators"][number];

/** The operator of a file who has this token, if any. Throws BYLAW_OPERATORS_INVALID. */
export function operatorOf(file: string, token: string): Operator | undefined {
  return operatorWith(readOperators(file).operators, token);
}

/** The operator of a list who has this token, if any. */
export function operatorWith(
  operators: readonly KeptOperator[],
  token: string,
): Operator | undefined {
  const digest = createHash("sha256").update(token).digest();
  const matches = operators.filter(({ token: kept }) =>
    timingSafeEqual(Buffer.from(kept.slice("sha256:".length), "hex"), digest),
  );
  const [operator] = token.length < MIN_LENGTH ? [] : matches;
  return operator === undefined ? undefined : { name: operator.name, roles: operator.roles };
}

// With one token for two operators, nobody could tell who answered.
const sameToken = (one: string, other: string, file: string): BylawError =>
  new BylawError({
    code: "BYLAW_OPERATORS_INVALID",
    message: `Operators ${quote(one)} and ${quote(other)} have the same token`,
    fix: "Give each operator a token of their own.",
    source: { file },
  });

/** The operators of a file. Throws BYLAW_OPERATORS_INVALID. */
export function readOperators(file: string): z.output<typeof operatorsSchema> {
  const bad = (what: string, fix: string, cause?: unknown): BylawError =>
    new BylawError({
      code: "BYLAW_OPERATORS_INVALID",
      message: what,
      fix,
      source: { file },
      ...(cause === undefined ? {} : { cause }),
    });
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined || !found.isFile() || found.size > LARGEST)
    throw bad(
      `${quote(file)} must be a regular file of at most 1 MiB`,
      "Replace it by such a file.",
    );
  // On Windows, the file mode does not show who may write a file.
  if (process.platform !== "win32" && (found.mode & 0o022) !== 0)
    throw bad(
      `Other users may write ${quote(file)}`,
      "Run `chmod go-w` on it, and check its content.",
    );
  try {
    const parsed = operatorsSchema.safeParse(parseJson(readFileSync(file, "utf8")));
    if (parsed.success) {
      const { operators } = parsed.data;
      const twice = operators.find(
        ({ token }, index) => operators.findIndex((one) => one.token === token) < index,
      );
      if (twice === undefined) {
        const isOpen = process.platform !== "win32" && (found.mode & 0o044) !== 0;
        if (isOpen && operators.some(({ notify }) => notify !== undefined))
          throw bad(
            `Other users may read ${quote(file)}, and anyone who knows a webhook can send to it`,
            "Run `chmod 600` on it.",
          );
        return parsed.data;
      }
      const other = operators.find(({ token }) => token === twice.token) ?? twice;
      throw sameToken(other.name, twice.name, file);
    }
    throw bad(
      `Operators: ${describeIssues(parsed.error, "the file")}`,
      'Write {"operators": [{"name", "roles"?, "token": "sha256:…", "notify"?: {"url", "form"?, "secret"?}}]}.',
    );
  } catch (error) {
    if (isBylawError(error) && error.code === "BYLAW_OPERATORS_INVALID") throw error;
    throw bad(`Cannot read ${quote(file)}`, "Write it as JSON that you may read.", error);
  }
}

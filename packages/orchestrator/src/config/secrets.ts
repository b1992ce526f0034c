import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { BylawError } from "@bylaw/kernel";
import { readKeyFile } from "@bylaw/log";
import type { Settings } from "./settings.ts";
import { isShared } from "./shown.ts";

/** A shared secret has at least as many characters. */
const SHORTEST = 32;

/** The text of a secret in a file that nobody else may read. Throws BYLAW_SECRET_INVALID, which never says what it is. */
function secretIn(file: string): string {
  return fit(Buffer.from(readKeyFile(file)).toString("utf8").trim(), `in \`${file}\``);
}

/** A secret that is long enough. */
function fit(secret: string, where: string): string {
  if (secret.length >= SHORTEST && /^[!-+\--~]+$/.test(secret)) return secret;
  throw new BylawError({
    code: "BYLAW_SECRET_INVALID",
    message: `Unexpected secret ${where}, expected at least ${SHORTEST} visible characters without a comma`,
    fix: "`openssl rand -base64 48` makes one",
  });
}

/** The file of a secret in the data folder, which is made on the first start, readable for its owner alone. */
function madeSecret(data: string, name: string): string {
  const file = join(data, name);
  writeOnce(file, `${randomBytes(48).toString("base64url")}\n`);
  return file;
}

/** Makes the data folder. Who adds a whole project to git adds nothing of it that is the server's own. */
export function makeDataFolder(data: string): void {
  mkdirSync(data, { recursive: true, mode: 0o700 });
  writeOnce(join(data, ".gitignore"), "*.secret\nstore.db*\nruns/\ntmp/\n");
}

function writeOnce(file: string, text: string): void {
  try {
    writeFileSync(file, text, { mode: 0o600, flag: "wx" });
  } catch (error) {
    // Another process was quicker, or it was made on an earlier start.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** Where the secret of tokens is. */
export type TokenKey = { readonly id: string } & ({ readonly env: string } | { readonly file: string });

/** The secrets of a server. */
export interface Secrets {
  readonly token: TokenKey;
  readonly enrol: string;
  readonly operator: string | undefined;
  readonly operators_file: string;
  /** Files and folders that hold some of them. */
  readonly places: readonly string[];
  /** All of them, to be taken out of what is told. */
  readonly texts: readonly string[];
}

/** Secrets that whoever starts the server has at hand; each left out comes from a file. */
export interface GivenSecrets {
  readonly enrol?: string | undefined;
  readonly operator?: string | undefined;
}

/** Reads the secrets of a server, and makes those on the first start that no other node has to have. Throws BYLAW_SECRET_INVALID. */
export function readSecrets({ auth, store, config, data: folder }: Settings, given: GivenSecrets): Secrets {
  const data = resolve(folder);
  const isAlone = !isShared(store);
  const named = auth.token_secret_file;
  const env = ["BYLAW_JWT_SECRET", "ORCHESTRATOR_JWT_SECRET"].find((name) => (process.env[name] ?? "") !== "");
  // A configuration says itself where its keys are.
  const isMade = env === undefined && isAlone && config === undefined;
  const file = named !== undefined ? resolve(named) : isMade ? madeSecret(data, "token.secret") : undefined;
  const token = { id: "default", ...(file === undefined ? { env: env ?? "BYLAW_JWT_SECRET" } : { file }) };
  const enrolFile =
    given.enrol !== undefined
      ? undefined
      : auth.enrol_secret_file !== undefined
        ? resolve(auth.enrol_secret_file)
        : isAlone
          ? madeSecret(data, "enrol.secret")
          : undefined;
  if (given.enrol === undefined && enrolFile === undefined) throw noEnrolment();
  const enrol = given.enrol === undefined ? secretIn(enrolFile ?? "") : fit(given.enrol, "of enrolment");
  const operator = given.operator === undefined ? undefined : fit(given.operator, "of the operator");
  const operators_file = resolve(auth.operators_file ?? join(data, "operators.json"));
  const signing = file === undefined ? (process.env[env ?? ""] ?? "") : Buffer.from(readKeyFile(file)).toString("utf8").trim();
  return {
    ...{ token, enrol, operator, operators_file },
    places: [data, operators_file, ...(file === undefined ? [] : [file]), ...(enrolFile === undefined ? [] : [enrolFile])],
    texts: [enrol, signing, operator ?? ""].filter((text) => text !== ""),
  };
}

const noEnrolment = (): BylawError =>
  new BylawError({
    code: "BYLAW_SECRET_INVALID",
    message: "Unexpected server without a secret that agents enrol with, expected the one that all nodes have",
    fix: "set BYLAW_ENROL_SECRET, or name a file with `auth.enrol_secret_file`",
  });

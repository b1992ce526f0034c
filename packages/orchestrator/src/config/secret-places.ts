import { join, resolve } from "node:path";
import type { Settings } from "./settings.ts";

/** Where a secret comes from; missing where it has none of both. */
export interface SecretPlace {
  /** The variable of this process that has it. */
  readonly variable?: string;
  /** The file that has it. Absolute. */
  readonly file?: string;
  /** The file is made on the first start. */
  readonly made?: boolean;
}

type Terms = Pick<Settings, "auth" | "store" | "data">;
type Environment = Readonly<Record<string, string | undefined>>;

/** The variable of the secret that tokens are signed with. */
export const TOKEN_VARIABLE = "BYLAW_JWT_SECRET";
/** It, and the one that is read where it is not set. */
export const TOKEN_VARIABLES: readonly string[] = [TOKEN_VARIABLE, "ORCHESTRATOR_JWT_SECRET"];
const ENROL_VARIABLE = "BYLAW_ENROL_SECRET";

/** The secret that tokens are signed with. `contract`: the variable that the contract names. */
export function tokenPlace(
  settings: Terms,
  environment: Environment,
  contract: string | undefined,
): SecretPlace {
  const variable = [...TOKEN_VARIABLES, ...(contract === undefined ? [] : [contract])].find(
    (name) => (environment[name] ?? "") !== "",
  );
  return placeOf(settings, settings.auth.token_secret_file, variable, "token.secret");
}

/** The secret that agents enrol with. `isGiven`: whether the environment has it, or who makes the server. */
export const enrolmentPlace = (settings: Terms, isGiven: boolean): SecretPlace =>
  placeOf(
    settings,
    settings.auth.enrol_secret_file,
    isGiven ? ENROL_VARIABLE : undefined,
    "enrol.secret",
  );

/** The same as it will be with these variables. */
export const enrolmentPlaceIn = (settings: Terms, environment: Environment): SecretPlace =>
  enrolmentPlace(settings, (environment[ENROL_VARIABLE] ?? "") !== "");

// A file that is named goes first. Of several nodes none makes a secret, because all have to have the same.
function placeOf(
  { store, data }: Terms,
  named: string | undefined,
  variable: string | undefined,
  made: string,
): SecretPlace {
  if (named !== undefined) return { file: resolve(named) };
  if (variable !== undefined) return { variable };
  return isShared(store) ? {} : { file: join(resolve(data), made), made: true };
}

/** Whether other nodes may keep the same run. */
export const isShared = (store: string | undefined): boolean =>
  /^postgres(?:ql)?:/i.test(store ?? "");

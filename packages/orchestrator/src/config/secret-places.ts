import { join, resolve } from "node:path";
import type { Settings } from "./settings.ts";

/** Where a secret comes from. Without both fields, it is missing. */
export interface SecretPlace {
  /** The variable of this process that has it. */
  readonly variable?: string;
  /** The file that has it. Absolute. */
  readonly file?: string;
  /** Whether the first start creates the file. */
  readonly made?: boolean;
}

type SecretSettings = Pick<Settings, "auth" | "store" | "data">;
type Environment = Readonly<Record<string, string | undefined>>;

/** The variable of the secret that signs tokens. */
export const TOKEN_VARIABLE = "BYLAW_JWT_SECRET";
/** That variable, and the one that is read if it is not set. */
export const TOKEN_VARIABLES: readonly string[] = [TOKEN_VARIABLE, "ORCHESTRATOR_JWT_SECRET"];
const ENROL_VARIABLE = "BYLAW_ENROL_SECRET";

/** The place of the secret that signs tokens. `contract`: the variable that the contract names. */
export function tokenPlace(
  settings: SecretSettings,
  environment: Environment,
  contract: string | undefined,
): SecretPlace {
  const variable = [...TOKEN_VARIABLES, ...(contract === undefined ? [] : [contract])].find(
    (name) => (environment[name] ?? "") !== "",
  );
  return placeOf(settings, settings.auth.token_secret_file, variable, "token.secret");
}

/** The place of the secret that agents enrol with. `isGiven`: whether the environment or the embedding program provides it. */
export const enrolmentPlace = (settings: SecretSettings, isGiven: boolean): SecretPlace =>
  placeOf(
    settings,
    settings.auth.enrol_secret_file,
    isGiven ? ENROL_VARIABLE : undefined,
    "enrol.secret",
  );

/** The same, with these variables. */
export const enrolmentPlaceIn = (settings: SecretSettings, environment: Environment): SecretPlace =>
  enrolmentPlace(settings, (environment[ENROL_VARIABLE] ?? "") !== "");

// A configured file takes precedence. Nodes that share a store never create a secret, because all need the same one.
function placeOf(
  { store, data }: SecretSettings,
  named: string | undefined,
  variable: string | undefined,
  made: string,
): SecretPlace {
  if (named !== undefined) return { file: resolve(named) };
  if (variable !== undefined) return { variable };
  return isShared(store) ? {} : { file: join(resolve(data), made), made: true };
}

/** Whether other nodes may use the same store. */
export const isShared = (store: string | undefined): boolean =>
  /^postgres(?:ql)?:/i.test(store ?? "");

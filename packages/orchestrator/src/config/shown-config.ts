import { resolve } from "node:path";
import { loadContract } from "@bylaw/contract";
import type { ResolvedSettings } from "./resolve.ts";
import { LEAVES } from "./resolve.ts";
import { enrolmentPlaceIn, isShared, tokenPlace, type SecretPlace } from "./secret-places.ts";
import { CONTRACT } from "./settings.ts";

/** The value of a setting and its source. */
export interface ShownSetting {
  readonly value: unknown;
  readonly from: string;
}

/** Everything a server would start with: every setting with its source, and the places of its secrets, but no secret. */
export interface ShownConfig {
  readonly settings: Readonly<Record<string, ShownSetting>>;
  readonly secrets: Readonly<Record<string, string>>;
}

/** Returns what `bylaw serve --print-config` prints. */
export function shownConfig(
  { settings, origins, file }: ResolvedSettings,
  environment: Readonly<Record<string, string | undefined>>,
): ShownConfig {
  const shown: Record<string, ShownSetting> = {};
  for (const { path } of LEAVES) {
    const value = path
      .split(".")
      .reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], settings);
    const from = origins[path] ?? "default";
    if (value !== undefined)
      shown[path] = {
        value: path === "store" ? withoutSecrets(String(value)) : value,
        from: from === "file" ? (file ?? from) : from,
      };
  }
  const { auth, data, config } = settings;
  const operator =
    (environment["BYLAW_OPERATOR_TOKEN"] ?? "") === "" ? {} : { variable: "BYLAW_OPERATOR_TOKEN" };
  return {
    settings: shown,
    secrets: {
      token_secret:
        config === undefined
          ? placeText(tokenPlace(settings, environment, variableOf(settings.contract)))
          : `as ${resolve(config)} has it`,
      enrol_secret: placeText(enrolmentPlaceIn(settings, environment)),
      operator_token: placeText(operator),
      operators: resolve(auth.operators_file ?? `${data}/operators.json`),
    },
  };
}

function placeText({ variable, file, made = false }: SecretPlace): string {
  if (file !== undefined) return made ? `in ${file}, which the first start creates` : `in ${file}`;
  return variable === undefined ? "missing" : `in the environment as ${variable}: ***`;
}

/** The variable that the contract names. Without a readable contract, no server starts. */
function variableOf(contract = CONTRACT): string | undefined {
  try {
    return loadContract(resolve(contract)).enforcement.tokens.secretEnvVar;
  } catch {
    return undefined;
  }
}

/** The URL of a store without its password. */
function withoutSecrets(store: string): string {
  if (!isShared(store)) return store;
  if (!URL.canParse(store)) return "postgres://…";
  const url = new URL(store);
  const user = url.username === "" ? "" : `${url.username}${url.password === "" ? "" : ":***"}@`;
  const parameters = [...url.searchParams].map(
    ([name, value]) => `${name}=${/pass|secret|key/i.test(name) ? "***" : value}`,
  );
  return `${url.protocol}//${user}${url.host}${url.pathname}${parameters.length === 0 ? "" : `?${parameters.join("&")}`}`;
}

import { resolve } from "node:path";
import type { Resolved } from "./resolve.ts";
import { LEAVES } from "./resolve.ts";

/** A setting as it is shown. */
export interface ShownSetting {
  readonly value: unknown;
  readonly from: string;
}

/** All that a server would be started with: every setting, where it comes from, and where its secrets are, none of which is shown. */
export interface ShownConfig {
  readonly settings: Readonly<Record<string, ShownSetting>>;
  readonly secrets: Readonly<Record<string, string>>;
}

/** What `bylaw serve --print-config` prints. */
export function shownConfig({ settings, origins, file }: Resolved, environment: Readonly<Record<string, string | undefined>>): ShownConfig {
  const shown: Record<string, ShownSetting> = {};
  for (const { path } of LEAVES) {
    const value = path.split(".").reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], settings);
    const from = origins[path] ?? "default";
    if (value !== undefined)
      shown[path] = { value: path === "store" ? withoutSecrets(String(value)) : value, from: from === "file" ? (file ?? from) : from };
  }
  const { auth, data, store = "" } = settings;
  const isSet = (name: string): boolean => (environment[name] ?? "") !== "";
  const where = (named: string | undefined, variables: readonly string[], made: string | undefined): string => {
    const variable = variables.find(isSet);
    if (named !== undefined) return `in ${named}`;
    if (variable !== undefined) return `in the environment as ${variable}: ***`;
    return made === undefined ? "missing" : `in ${resolve(data, made)}, which is made on the first start`;
  };
  return {
    settings: shown,
    secrets: {
      token_secret: where(
        auth.token_secret_file,
        ["BYLAW_JWT_SECRET", "ORCHESTRATOR_JWT_SECRET"],
        isShared(store) ? undefined : "token.secret",
      ),
      enrol_secret: where(auth.enrol_secret_file, ["BYLAW_ENROL_SECRET"], isShared(store) ? undefined : "enrol.secret"),
      operator_token: where(undefined, ["BYLAW_OPERATOR_TOKEN"], undefined),
      operators: resolve(auth.operators_file ?? `${data}/operators.json`),
    },
  };
}

/** Whether other nodes may keep the same run: then no secret is made here, because they have to have the same. */
export const isShared = (store: string | undefined): boolean => /^postgres(?:ql)?:/i.test(store ?? "");

/** The address of a server without what opens it. */
function withoutSecrets(store: string): string {
  if (!isShared(store)) return store;
  if (!URL.canParse(store)) return "postgres://…";
  const url = new URL(store);
  const user = url.username === "" ? "" : `${url.username}${url.password === "" ? "" : ":***"}@`;
  const parameters = [...url.searchParams].map(([name, value]) => `${name}=${/pass|secret|key/i.test(name) ? "***" : value}`);
  return `${url.protocol}//${user}${url.host}${url.pathname}${parameters.length === 0 ? "" : `?${parameters.join("&")}`}`;
}

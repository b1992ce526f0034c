import { dirname } from "node:path";
import type { Contract } from "@bylaw/contract";
import { definePlugin, type JsonObject, type Subject } from "@bylaw/kernel";
import type { EventType } from "@bylaw/log";
import { z } from "zod";
import manifest from "../package.json" with { type: "json" };
import { CODES, checkToken, tokenIn, type CheckOptions } from "./check.ts";
import { claimsDigest, type Claims } from "./claims.ts";
import { settingsOf, tokenOptions } from "./settings.ts";
import { TokenSigner, type TokenFault } from "./signer.ts";
import { currentTokens } from "./current-token.ts";

const issued = z.strictObject({
  jti: z.string().min(1),
  agent: z.string().min(1),
  phase: z.string().nullable(),
  expires_at: z.iso.datetime(),
  claims_digest: z.string().regex(/^sha256:[0-9a-f]{64}$/),
});
const revoked = z.strictObject({ reason: z.string() });

/** The types of events that this plugin declares. */
export const EVENT_TYPES: readonly EventType[] = [
  { name: "token_issued", details: issued },
  { name: "token_revoked", details: revoked },
];

/** Denies every tool call and transition without a token for exactly this run, task, agent and phase. */
export const tokens = definePlugin({
  name: manifest.name,
  version: manifest.version,
  options: tokenOptions,
  // The mode softens a token's tool scope like the phase's. It never softens a forged, expired or foreign token.
  neverSoftened: Object.keys(CODES).filter((code) => code !== "token_tool"),
  codes: CODES,
  apply(kernel, options, { configFile }) {
    const folder = configFile === undefined ? process.cwd() : dirname(configFile);
    const settings = settingsOf(options, folder);
    for (const type of EVENT_TYPES) kernel.event(type);
    kernel.projection(currentTokens);
    // A contract without tokens needs no secret.
    if (!settings.enabled) return;
    const signer = new TokenSigner(settings, folder);
    const { contract, session } = settings;
    const check = { signer, session, scope: scopeOf(contract), waives: waiversOf(contract) };
    const prepared = (read: Claims | TokenFault): JsonObject =>
      typeof read === "string"
        ? { fault: read }
        : { claims: read as unknown as JsonObject, digest: claimsDigest(read) };
    kernel.prepare("token", (subject) => {
      const token = tokenIn(subject);
      if (token === undefined) return undefined;
      const read = signer.read(token);
      return read instanceof Promise ? read.then(prepared) : prepared(read);
    });
    const factsOf = ({ facts }: Subject): JsonObject | undefined =>
      facts?.[manifest.name] as JsonObject | undefined;
    kernel.hooks.beforeToolCall.tap("token", (call, view) =>
      checkToken(call, view, factsOf(call), check),
    );
    kernel.hooks.onTransition.tap("token", (request, view) =>
      checkToken(request, view, factsOf(request), check),
    );
  },
});

// As in the phases plugin: a warning is recorded, and an unchecked call is not.
function scopeOf(contract: Contract | undefined): CheckOptions["scope"] {
  if (contract === undefined) return "enforced";
  const { mode, tools } = contract.enforcement;
  if (!tools.enabled) return "off";
  return tools.mode === mode ? "enforced" : "shadow";
}

// If two transitions lead to one phase, both must waive the token.
function waiversOf(
  contract: Contract | undefined,
): (from: string | undefined, to: string) => boolean {
  const transitions = contract?.transitions ?? [];
  return (from, to) => {
    const ways = transitions.filter((way) => way.from === from && way.to === to);
    return ways.length > 0 && ways.every(({ requiresToken }) => !requiresToken);
  };
}

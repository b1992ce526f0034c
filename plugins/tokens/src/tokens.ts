import { dirname } from "node:path";
import { definePlugin, type JsonObject, type Subject } from "@bylaw/kernel";
import { z } from "zod";
import manifest from "../package.json" with { type: "json" };
import { CODES, checkToken, tokenIn } from "./check.ts";
import type { Claims } from "./claims.ts";
import { tokenOptions } from "./options.ts";
import { signerOf, type TokenFault } from "./signer.ts";
import { currentTokens } from "./standing.ts";

const issued = z.strictObject({
  jti: z.string().min(1),
  agent: z.string().min(1),
  phase: z.string().nullable(),
  expires_at: z.iso.datetime(),
});
const revoked = z.strictObject({ reason: z.string() });

/** Denies every tool call and transition without a token for exactly this run, task, agent and phase. */
export const tokens = definePlugin({
  name: manifest.name,
  version: manifest.version,
  options: tokenOptions,
  hard: true,
  codes: CODES,
  apply(kernel, options, { configFile }) {
    const signer = signerOf(options, configFile === undefined ? process.cwd() : dirname(configFile));
    const check = { contract: signer.contract, tolerance_ms: options.clock_tolerance_seconds * 1_000 };
    kernel.event({ name: "token_issued", details: issued });
    kernel.event({ name: "token_revoked", details: revoked });
    kernel.projection(currentTokens);
    const prepared = (read: Claims | TokenFault): JsonObject =>
      typeof read === "string" ? { fault: read } : { claims: read as unknown as JsonObject };
    kernel.prepare("token", (subject) => {
      const token = tokenIn(subject);
      if (token === undefined) return undefined;
      const read = signer.read(token);
      return read instanceof Promise ? read.then(prepared) : prepared(read);
    });
    const factsOf = ({ facts }: Subject): JsonObject | undefined => facts?.[manifest.name] as JsonObject | undefined;
    kernel.hooks.beforeToolCall.tap("token", (call, view) => checkToken(call, view, factsOf(call), check));
    kernel.hooks.onTransition.tap("token", (request, view) => checkToken(request, view, factsOf(request), check));
  },
});

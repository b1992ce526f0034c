import { randomUUID } from "node:crypto";
import type { Contract } from "@bylaw/contract";
import { BylawError, checkArgument, freezeJson } from "@bylaw/kernel";
import { describeIssues } from "@bylaw/wording";
import { CompactSign, compactVerify, decodeProtectedHeader } from "jose";
import { claimsSchema, type Claims } from "./claims.ts";
import { readKeys, type NamedKey } from "./keys.ts";
import { settingsOf, tokenOptions, type TokenSettings } from "./settings.ts";

/** The properties of a requested token. */
export interface TokenRequest {
  readonly run: string;
  readonly task: string;
  readonly agent: string;
  /** `null`: for the transition into the first phase. */
  readonly phase: string | null;
  readonly allowed_tools: readonly string[];
  /** The session of the run, if the contract binds tokens to it. */
  readonly session?: string;
  /** The fence of the agent's claim, if the store has one. */
  readonly fence?: number;
  /** Its unique id (`jti`). Default: a new UUID. */
  readonly id?: string;
  /** When it is issued: RFC 3339, UTC. Default: now. */
  readonly at?: string;
}

/** A token and its claims. The text is the agent's secret and belongs in no log. */
export interface SignedToken {
  readonly token: string;
  readonly claims: Claims;
}

/** The reason why a text is not a token of this signer. */
export type TokenFault = "token_malformed" | "token_key_unknown" | "token_forged";

/** Longer texts are not parsed. */
const MAX_LENGTH = 131_072;
/** The most characters of tokens whose claims are cached, and the longest cached token: room for some 30,000 typical ones. */
const KEPT = 16_777_216;
const KEPT_LENGTH = 4_096;

/** Makes a signer from the options of the plugin. Throws for invalid options and keys. */
export function createSigner(options?: unknown, folder = process.cwd()): TokenSigner {
  if (options !== undefined) checkArgument("createSigner", "options", options);
  const parsed = tokenOptions.safeParse(options);
  if (!parsed.success)
    throw new BylawError({
      code: "BYLAW_OPTIONS_INVALID",
      message: `Options of the signer: ${describeIssues(parsed.error, "the options")}`,
    });
  return new TokenSigner(settingsOf(parsed.data, folder), folder);
}

/** Signs tokens and verifies them. Only the log knows whether a token is still valid. */
export class TokenSigner {
  /** The digest of the contract, `sha256:…`, if one is named; comments do not count. */
  readonly contract: string | null;
  /** How long its tokens are valid. */
  readonly expiry_seconds: number;
  readonly #settings: TokenSettings;
  readonly #keys: ReadonlyMap<string, NamedKey>;
  /** Verified tokens with their claims. The oldest are removed first. */
  readonly #kept = new Map<string, Claims>();
  #keptLength = 0;

  constructor(settings: TokenSettings, folder: string) {
    this.contract = settings.contract?.digest ?? null;
    this.expiry_seconds = settings.expiry_seconds;
    this.#settings = settings;
    this.#keys = readKeys(settings.algorithm, settings.keys, folder);
  }

  /** Throws BYLAW_TOKEN_PHASE_UNKNOWN for a phase that the contract does not have. */
  async sign(request: TokenRequest): Promise<SignedToken> {
    const { phase, session, at } = request;
    const { contract, session: bound, algorithm } = this.#settings;
    if (phase !== null && contract?.phases.some(({ id }) => id === phase) === false)
      throw unknownPhase(phase, contract);
    if (bound && session === undefined) throw unboundToken();
    const [first] = this.#keys.values();
    if (first?.sign === undefined) throw cannotSign(first?.id ?? "");
    const iat = Math.floor((at === undefined ? Date.now() : Date.parse(at)) / 1_000);
    const claims = this.#claimsFor(request, iat);
    const token = await new CompactSign(new TextEncoder().encode(JSON.stringify(claims)))
      .setProtectedHeader({ alg: algorithm, typ: "JWT", kid: first.id })
      .sign(first.sign);
    return { token, claims };
  }

  /**
   * The reason why a token is not valid at a time in milliseconds since 1970; `undefined`: it is. Clocks may differ by the configured
   * tolerance.
   */
  timeFault(
    { nbf, exp }: Pick<Claims, "nbf" | "exp">,
    at: number,
  ): "token_not_yet_valid" | "token_expired" | undefined {
    const tolerance_ms = this.#settings.clock_tolerance_seconds * 1_000;
    if (at + tolerance_ms < nbf * 1_000) return "token_not_yet_valid";
    return at - tolerance_ms >= exp * 1_000 ? "token_expired" : undefined;
  }

  /** The claims of a token with a good signature, however old. Synchronous for a cached token. */
  read(token: string): Claims | TokenFault | Promise<Claims | TokenFault> {
    if (token.length > MAX_LENGTH) return "token_malformed";
    return this.#kept.get(token) ?? this.#readAnew(token);
  }

  #claimsFor({ run, task, agent, id, ...request }: TokenRequest, iat: number): Claims {
    return claimsSchema.parse({
      iss: "bylaw",
      jti: id ?? randomUUID(),
      run,
      task_id: task,
      agent,
      phase: request.phase,
      allowed_tools: [...request.allowed_tools],
      contract: this.contract,
      ...(request.fence === undefined ? {} : { fence: request.fence }),
      ...(this.#settings.session ? { session: request.session } : {}),
      iat,
      nbf: iat,
      exp: iat + this.expiry_seconds,
    });
  }

  async #readAnew(token: string): Promise<Claims | TokenFault> {
    // One token has one spelling: unused bits, padding and other alphabets would allow several.
    if (!token.split(".").every(isCanonical)) return "token_malformed";
    const named = nameOf(token);
    if (named === undefined) return "token_malformed";
    const key = this.#keys.get(named);
    if (key === undefined) return "token_key_unknown";
    let payload: Uint8Array;
    try {
      // We choose the algorithm, not the token, so `none` and all others are refused here.
      const algorithms = [this.#settings.algorithm];
      ({ payload } = await compactVerify(token, key.verify, { algorithms }));
    } catch {
      return "token_forged";
    }
    const claims = claimsOf(payload);
    if (claims === undefined) return "token_malformed";
    this.#keep(token, claims);
    return claims;
  }

  #keep(token: string, claims: Claims): void {
    if (token.length > KEPT_LENGTH || this.#kept.has(token)) return;
    this.#kept.set(token, claims);
    this.#keptLength += token.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#keptLength <= KEPT) return;
      this.#kept.delete(oldest);
      this.#keptLength -= oldest.length;
    }
  }
}

const cannotSign = (id: string): BylawError =>
  new BylawError({
    code: "BYLAW_TOKEN_KEY_INVALID",
    message: `The first token key, \`${id}\`, is public only and cannot sign`,
  });

const unknownPhase = (phase: string, { phases, file }: Contract): BylawError =>
  new BylawError({
    code: "BYLAW_TOKEN_PHASE_UNKNOWN",
    message: `The contract has no phase \`${phase.slice(0, 80)}\`, only ${phases.map(({ id }) => `\`${id}\``).join(", ")}`,
    fix: "Grant tokens for the phase that the task is in. A completed task gets none.",
    source: { file },
  });

const unboundToken = (): BylawError =>
  new BylawError({
    code: "BYLAW_TOKEN_SESSION_MISSING",
    message: "The contract binds tokens to a session, and the request names none",
    fix: "Use `grantToken`, or pass `session`.",
  });

const isCanonical = (part: string): boolean =>
  Buffer.from(part, "base64url").toString("base64url") === part;

// Our headers have exactly these three fields, so that no extension can change their meaning.
function nameOf(token: string): string | undefined {
  try {
    const head = decodeProtectedHeader(token);
    const { alg, kid, typ, ...others } = head;
    return alg !== undefined &&
      typ === "JWT" &&
      typeof kid === "string" &&
      Object.keys(others).length === 0
      ? kid
      : undefined;
  } catch {
    return undefined;
  }
}

function claimsOf(payload: Uint8Array): Claims | undefined {
  try {
    return freezeJson(
      claimsSchema.parse(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(payload))),
    ) as unknown as Claims;
  } catch {
    return undefined;
  }
}

import { AgentError, type OperatorClient } from "@bylaw/sdk";

/** Which directive, and who carries it out. */
interface LeaseTerms {
  readonly directive: string;
  readonly holder: string;
  readonly lease_ms: number;
  /** Ends it from outside. */
  readonly signal: AbortSignal;
}

/** A directive that this process alone carries out, as long as it renews the lease. */
export class DirectiveLease {
  readonly #client: Pick<OperatorClient, "leaseDirective">;
  readonly #terms: LeaseTerms;
  readonly #lost = new AbortController();
  #until = 0;
  #beating = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(client: Pick<OperatorClient, "leaseDirective">, terms: LeaseTerms) {
    this.#client = client;
    this.#terms = terms;
  }

  /** Aborted when the lease is lost or the supervisor ends. */
  get signal(): AbortSignal {
    return AbortSignal.any([this.#lost.signal, this.#terms.signal]);
  }

  /** Takes the directive. Throws Conflict where another supervisor has it, and NotFound where it is not open any more. */
  async take(): Promise<void> {
    await this.#renew(this.#terms.signal);
    this.#timer = setInterval(() => void this.#beat(), this.#terms.lease_ms / 3);
  }

  /** Stops renewing it. It is free for others when the lease ends. */
  end(): void {
    clearInterval(this.#timer);
  }

  async #renew(signal: AbortSignal): Promise<void> {
    const { directive, holder, lease_ms } = this.#terms;
    const asked = performance.now();
    await this.#client.leaseDirective(directive, { holder, lease_ms }, { signal });
    this.#until = asked + lease_ms;
  }

  async #beat(): Promise<void> {
    if (this.#beating) return;
    this.#beating = true;
    try {
      const left = Math.max(0, Math.ceil(this.#until - performance.now()));
      await this.#renew(AbortSignal.any([this.#terms.signal, AbortSignal.timeout(left)]));
    } catch (error) {
      // A server that is away gives the directive to nobody else before the lease is over.
      if (isElsewhere(error) || performance.now() >= this.#until) this.#lost.abort(error);
    } finally {
      this.#beating = false;
    }
  }
}

const ELSEWHERE: ReadonlySet<string> = new Set([
  "BYLAW_DIRECTIVE_TAKEN",
  "BYLAW_DIRECTIVE_MISSING",
]);

/** Whether another supervisor has the directive, or somebody has reported it. */
export const isElsewhere = (error: unknown): boolean =>
  error instanceof AgentError && ELSEWHERE.has(error.code);

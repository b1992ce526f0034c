import { AgentError, type OperatorClient } from "@bylaw/sdk";

/** The directive of a lease, and the supervisor that holds it. */
interface LeaseOptions {
  readonly directive: string;
  readonly holder: string;
  readonly lease_ms: number;
  /** How often the directive may be tried, by all supervisors together. */
  readonly max_attempts: number;
  /** Ends the lease early. */
  readonly signal: AbortSignal;
}

/** The right to carry out a directive. No other supervisor can take it while this process renews the lease. */
export class DirectiveLease {
  readonly #client: Pick<OperatorClient, "leaseDirective">;
  readonly #options: LeaseOptions;
  readonly #lost = new AbortController();
  #until = 0;
  #beating = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(client: Pick<OperatorClient, "leaseDirective">, options: LeaseOptions) {
    this.#client = client;
    this.#options = options;
  }

  /** Aborted when the lease is lost or the supervisor ends. */
  get signal(): AbortSignal {
    return AbortSignal.any([this.#lost.signal, this.#options.signal]);
  }

  /**
   * Takes the lease. Throws BYLAW_DIRECTIVE_TAKEN if another supervisor has it, and BYLAW_DIRECTIVE_MISSING if the directive is no
   * longer open, and BYLAW_DIRECTIVE_SPENT if it was tried as often as it may be.
   */
  async take(): Promise<void> {
    const { signal, max_attempts } = this.#options;
    await this.#renew(signal, { max_attempts });
    this.#timer = setInterval(() => void this.#beat(), this.#options.lease_ms / 3);
  }

  /** Stops renewing the lease. Others can take the directive when the lease runs out. */
  end(): void {
    clearInterval(this.#timer);
  }

  async #renew(signal: AbortSignal, begins: { max_attempts?: number } = {}): Promise<void> {
    const { directive, holder, lease_ms } = this.#options;
    const asked = performance.now();
    await this.#client.leaseDirective(directive, { holder, lease_ms, ...begins }, { signal });
    this.#until = asked + lease_ms;
  }

  async #beat(): Promise<void> {
    if (this.#beating) return;
    this.#beating = true;
    try {
      const left = Math.max(0, Math.ceil(this.#until - performance.now()));
      await this.#renew(AbortSignal.any([this.#options.signal, AbortSignal.timeout(left)]));
    } catch (error) {
      // While the server is unreachable, it gives the directive to nobody else until the lease runs out.
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

/** Whether all attempts at the directive were made, by whichever supervisors. */
export const isSpent = (error: unknown): boolean =>
  error instanceof AgentError && error.code === "BYLAW_DIRECTIVE_SPENT";

/** Whether another supervisor has the directive, or its result was already reported. */
export const isElsewhere = (error: unknown): boolean =>
  error instanceof AgentError && ELSEWHERE.has(error.code);

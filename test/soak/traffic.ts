import type { Ledger } from "./ledger.ts";

/** Counts the answers of all requests, and separates failures that a restart explains from the others. */
export class Traffic {
  readonly #ledger: Ledger;
  #changes = 0;
  #restarting = false;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** Called before the server is ended. */
  ending(): void {
    this.#changes += 1;
    this.#restarting = true;
  }

  /** Called when the server listens again. */
  listening(): void {
    this.#changes += 1;
    this.#restarting = false;
  }

  /** `fetch`, counted. */
  readonly fetch = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const before = this.#changes;
    const calm = (): boolean => before === this.#changes && !this.#restarting;
    const path = new URL(url).pathname.replaceAll(/[0-9a-f]{16}/g, "ID");
    this.#ledger.count("requests");
    try {
      const response = await fetch(url, init);
      this.#ledger.count(`status ${response.status}`);
      if (response.status >= 500 && (response.status !== 503 || calm())) {
        this.#ledger.fault(
          `${response.status} from ${path}: ${(await response.clone().text()).slice(0, 300)}`,
        );
      }
      return response;
    } catch (error) {
      if (init.signal?.aborted === true) throw error;
      this.#ledger.count("broken connections");
      if (calm())
        this.#ledger.fault(
          `The connection broke at ${path} while the server was up: ${String((error as Error).cause ?? error)}`,
        );
      throw error;
    }
  };
}

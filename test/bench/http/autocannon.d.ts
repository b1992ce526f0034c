// Only the types that are used here: the package ships none.
declare module "autocannon" {
  import type { EventEmitter } from "node:events";

  interface Client {
    setRequests(
      requests: {
        method: string;
        path: string;
        headers: Readonly<Record<string, string>>;
        body: string;
      }[],
    ): void;
  }
  interface Options {
    url: string;
    method: string;
    connections: number;
    /** Seconds. */
    duration: number;
    timeout: number;
    setupClient(client: Client): void;
  }
  interface Result {
    errors: number;
    non2xx: number;
    duration: number;
    requests: { total: number };
  }
  interface Instance extends EventEmitter, PromiseLike<Result> {}
  export default function autocannon(options: Options): Instance;
}

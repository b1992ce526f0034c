import type { Context, Hono } from "hono";

/**
 * What the HTTP server passes to the app; nothing for a request without a socket. Lists only what the app uses of Node's own types, which a
 * user of the public types may not have installed.
 */
interface AppEnv {
  Bindings: {
    readonly incoming?: {
      readonly complete: boolean;
      iterator(options: { readonly destroyOnReturn: boolean }): AsyncIterable<Uint8Array>;
    };
    readonly outgoing?: { destroy(): unknown };
  };
}

export type App = Hono<AppEnv>;
export type AppContext = Context<AppEnv>;

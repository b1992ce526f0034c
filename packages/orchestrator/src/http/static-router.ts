import type { Result, Router } from "hono/router";
import { SmartRouter } from "hono/router/smart-router";
import { RegExpRouter } from "hono/router/reg-exp-router";
import { TrieRouter } from "hono/router/trie-router";

/**
 * The router that is usual, which remembers what it says of paths without a parameter: with paths such as `/tasks/claim` beside `/tasks/{id}`
 * it goes through its tree for every request.
 */
export class StaticRouter<T> implements Router<T> {
  readonly name = "StaticRouter";
  readonly #inner = new SmartRouter<T>({ routers: [new RegExpRouter<T>(), new TrieRouter<T>()] });
  readonly #fixed = new Set<string>();
  readonly #found = new Map<string, Result<T>>();

  add(method: string, path: string, handler: T): void {
    this.#inner.add(method, path, handler);
    if (!/[:*?{]/.test(path)) this.#fixed.add(path);
  }

  match(method: string, path: string): Result<T> {
    if (!this.#fixed.has(path)) return this.#inner.match(method, path);
    const key = `${method} ${path}`;
    const known = this.#found.get(key);
    if (known !== undefined) return known;
    const found = this.#inner.match(method, path);
    this.#found.set(key, found);
    return found;
  }
}

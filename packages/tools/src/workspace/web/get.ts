import { lookup } from "node:dns/promises";
import { Agent as PlainAgent, request as plain, type IncomingMessage } from "node:http";
import { Agent as SecureAgent, request as secure } from "node:https";
import { isIP, isIPv6, type LookupFunction } from "node:net";
import { BylawError, messageOf } from "@bylaw/kernel";
import { isPublic } from "./addresses.ts";
import type { WebOptions } from "../options.ts";

export interface Page {
  readonly status: number;
  readonly type: string;
  readonly location: string | undefined;
  readonly body: Uint8Array;
  /** Whether the page was longer than the limit. */
  readonly cut: boolean;
}

/**
 * Requests a page once, without following redirects. The addresses of the host are looked up once and checked, and then exactly these are
 * used, whatever the name resolves to a moment later. Throws BYLAW_FETCH_REFUSED and BYLAW_FETCH_FAILED.
 */
export async function get(
  url: URL,
  options: WebOptions,
  limit: number,
  signal: AbortSignal,
): Promise<Page> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const addresses = isIP(host) === 0 ? await addressesOf(host, options) : [host];
  const unfit =
    options.private === true ? undefined : addresses.find((address) => !isPublic(address));
  if (unfit !== undefined)
    throw fetchRefused(`\`${host}\` is at \`${unfit}\`, which is not a public internet address`);
  const [address] = addresses;
  if (address === undefined) throw fetchFailed(`\`${host}\` has no address`);
  signal.throwIfAborted();
  const secured = url.protocol === "https:";
  // A new agent, so that no proxy and no other connection is used.
  const agent = secured
    ? new SecureAgent({ keepAlive: false })
    : new PlainAgent({ keepAlive: false });
  const ask = secured ? secure : plain;
  try {
    return await new Promise<Page>((resolve, reject) => {
      const asked = ask(url, {
        agent,
        signal,
        lookup: pinned(address),
        maxHeaderSize: 32_768,
        headers: {
          accept: "text/html, text/*, application/json, */*;q=0.1",
          "accept-encoding": "identity",
          "user-agent": "bylaw",
        },
      });
      asked.once("error", reject);
      asked.once("response", (response) => void take(response, limit).then(resolve, reject));
      asked.end();
    });
  } catch (cause) {
    signal.throwIfAborted();
    throw cause instanceof BylawError ? cause : fetchFailed(messageOf(cause), cause);
  } finally {
    agent.destroy();
  }
}

async function take(response: IncomingMessage, limit: number): Promise<Page> {
  const { statusCode: status = 0, headers } = response;
  const chunks: Uint8Array[] = [];
  let size = 0;
  // One chunk is never large.
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > limit) break;
  }
  response.destroy();
  const coding = headers["content-encoding"];
  if (coding !== undefined && coding !== "identity")
    throw fetchFailed(`the page is compressed with \`${coding}\`, which was not asked for`);
  const body = Buffer.concat(chunks).subarray(0, limit);
  return {
    status,
    type: headers["content-type"] ?? "",
    location: headers.location,
    body,
    cut: size > limit,
  };
}

async function addressesOf(host: string, { addresses }: WebOptions): Promise<readonly string[]> {
  try {
    return await (
      addresses ??
      (async (name) => (await lookup(name, { all: true })).map(({ address }) => address))
    )(host);
  } catch (cause) {
    throw fetchFailed(`\`${host}\` was not found`, cause);
  }
}

// Answers each lookup with the checked addresses.
const pinned =
  (address: string): LookupFunction =>
  (_, { all }, answer) => {
    const family = isIPv6(address) ? 6 : 4;
    if (all === true) answer(null, [{ address, family }]);
    else answer(null, address, family);
  };

export const fetchRefused = (message: string, fix?: string): BylawError =>
  new BylawError({ code: "BYLAW_FETCH_REFUSED", message, fix });

export const fetchFailed = (why: string, cause?: unknown): BylawError =>
  new BylawError({
    code: "BYLAW_FETCH_FAILED",
    message: `The page could not be fetched: ${why}`,
    cause,
  });

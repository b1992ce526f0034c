import { BlockList, isIP } from "node:net";
import { BylawError } from "@bylaw/kernel";
import { quote } from "@bylaw/wording";
import type { Settings } from "./settings.ts";

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

/** Whether only this machine can reach an address. Any name except `localhost` may stand for any address. */
function isLoopback(host: string): boolean {
  const version = isIP(host);
  if (version === 0) return host.toLowerCase() === "localhost";
  return LOOPBACK.check(host, version === 4 ? "ipv4" : "ipv6");
}

/**
 * Refuses to listen for other machines without TLS or without an operator, unless the settings permit it. Throws BYLAW_SETTINGS_INVALID.
 */
export function checkExposure(
  {
    host,
    tls,
    allow_plain_http,
    allow_no_operator,
  }: Pick<Settings, "host" | "tls" | "allow_plain_http" | "allow_no_operator">,
  { operated }: { readonly operated: boolean },
): void {
  if (isLoopback(host)) return;
  if (tls === undefined && !allow_plain_http)
    throw exposed(
      host,
      "without TLS anyone on the network can read its secrets",
      "Name a certificate with `--tls-cert` and `--tls-key`, or pass `--allow-plain-http` if a proxy in front of the server does TLS.",
    );
  if (!operated && !allow_no_operator)
    throw exposed(
      host,
      "no operator could answer questions or stop an agent",
      "Set BYLAW_OPERATOR_TOKEN, list operators in a file, or pass `--allow-no-operator` if nobody needs to.",
    );
}

const exposed = (host: string, why: string, fix: string): BylawError =>
  new BylawError({
    code: "BYLAW_SETTINGS_INVALID",
    message: `Other machines can reach ${quote(host)}, and ${why}`,
    fix,
  });

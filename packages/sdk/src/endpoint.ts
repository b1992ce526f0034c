import { RequestInvalid } from "./errors.ts";

const BASE = "/api/v1";
const HERE = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** The base of all requests, without a slash at its end. Throws RequestInvalid where it is no address to send a credential to. */
export function endpointOf(
  endpoint: string | URL,
  { allow_http }: { readonly allow_http: boolean },
): string {
  const refuse = (message: string, fix?: string): RequestInvalid =>
    new RequestInvalid({ code: "request_invalid", message, fix });
  let url: URL;
  try {
    url = new URL(endpoint);
  } catch {
    throw refuse("`endpoint` must be an address such as `https://bylaw.example.org`");
  }
  // What the address holds is not repeated: it may be a password.
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw refuse("`endpoint` must not hold credentials, a query or a fragment");
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw refuse(`\`endpoint\` must use https, not \`${url.protocol}\``);
  if (url.protocol === "http:" && !allow_http && !HERE.test(url.hostname))
    throw refuse(
      `\`${url.host}\` is another machine, so \`endpoint\` must use https`,
      "Use https, or set `allow_http` if the network in between is safe",
    );
  const path = url.pathname.replace(/\/+$/, "");
  return `${url.origin}${path.endsWith(BASE) ? path : path + BASE}`;
}

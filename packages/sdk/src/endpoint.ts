import { RequestInvalid } from "./errors.ts";

const BASE = "/api/v1";
const HERE = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** The base of all requests, without a slash at its end. Throws RequestInvalid where it is no address to send a credential to. */
export function endpointOf(endpoint: string | URL, { allow_http }: { readonly allow_http: boolean }): string {
  const refuse = (message: string, fix?: string): RequestInvalid => new RequestInvalid({ code: "request_invalid", message, fix });
  let url: URL;
  try {
    url = new URL(endpoint);
  } catch {
    throw refuse("Unexpected endpoint, expected an address such as `https://bylaw.example.org`");
  }
  // What the address holds is not repeated: it may be a password.
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw refuse("Unexpected credentials, query or fragment in the endpoint, expected scheme, host, port and path alone");
  if (url.protocol !== "https:" && url.protocol !== "http:") throw refuse(`Unexpected scheme \`${url.protocol}\`, expected https`);
  if (url.protocol === "http:" && !allow_http && !HERE.test(url.hostname))
    throw refuse(`Unexpected http to \`${url.host}\`, expected https`, "use https, or say `allow_http` where the way there is safe");
  const path = url.pathname.replace(/\/+$/, "");
  return `${url.origin}${path.endsWith(BASE) ? path : path + BASE}`;
}

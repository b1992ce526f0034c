// What the policy language asks of Node, on a machine without files: every path is what it says, and no link leads elsewhere.
import micromatch from "micromatch";
import * as re2js from "re2js";

function missing(path: unknown, options?: { readonly throwIfNoEntry?: boolean }): undefined {
  if (options?.throwIfNoEntry === false) return undefined;
  throw Object.assign(new Error(`No such file: ${String(path)}`), { code: "ENOENT" });
}

export const lstatSync = missing;
export const statSync = missing;
export const readlinkSync = missing;
export const opendirSync = missing;
export const readdirSync = missing;
export const realpathSync = Object.assign(missing, { native: missing });
export const readFileSync = missing;
export const existsSync = (): boolean => false;
// Without files there is no path to take apart, and nothing to hash.
export const basename = missing;
export const dirname = missing;
export const resolve = missing;
export const createHash = missing;

export const createRequire = () => (name: "micromatch" | "re2js") => ({ micromatch, re2js })[name];

export const domainToASCII = (host: string): string =>
  URL.canParse(`http://${host}/`) ? new URL(`http://${host}/`).hostname : "";

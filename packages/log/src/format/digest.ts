import { hash } from "node:crypto";
import { canonicalJson, type Json } from "@bylaw/kernel";

/** What `digestJson` of the kernel makes, at once, since a tap has no time to wait: that one works where there is no Node, too, and takes a turn in another thread. */
export const digestOf = (value: Json): string =>
  `sha256:${hash("sha256", canonicalJson(value), "hex")}`;

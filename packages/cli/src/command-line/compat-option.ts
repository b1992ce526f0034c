import { COMPATS } from "@bylaw/behavior";
import type { Option } from "commander";
import { choice } from "./options.ts";

/** The option that reads a workflow as an older system did. */
export const compatOption = (): Option =>
  choice(
    "--compat <system>",
    "read loops, triggers and conditions as this older system did",
    COMPATS,
  );

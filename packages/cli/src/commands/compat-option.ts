import { COMPATS } from "@bylaw/behavior";
import { Option } from "commander";
import { wordOf } from "../usage.ts";

/** The option that reads a workflow as an older system did. */
export const compatOption = (): Option =>
  new Option("--compat <reading>", "read loops, triggers and conditions as an older system did")
    .choices(COMPATS)
    .argParser(wordOf("--compat <reading>", COMPATS));

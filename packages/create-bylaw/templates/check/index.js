import { defineCheck, deny } from "@bylaw/kernel";
import { z } from "zod";

/** Keeps a task out of review until its change has a changelog entry. */
export const IDENTIFIER = defineCheck({
  name: "SHORT_NAME",
  hook: "onTransition",
  when: { to: "REVIEW" },
  artifact: z.looseObject({ files_changed: z.array(z.string()) }),
  check: ({ files_changed }) =>
    files_changed.includes("CHANGELOG.md")
      ? undefined
      : deny("The change has no changelog entry.", "Add a line to CHANGELOG.md."),
});

import { createKernel, type Explanation, type Plugin, type Vote } from "@bylaw/kernel";
import { complete, type SubjectSketch } from "./subjects.ts";

/**
 * The votes of one plugin on one subject, none when it abstains; shadow votes and warnings are among them. Nothing is
 * mocked: the plugin runs in a kernel of its own. Throws BYLAW_SUBJECT_INVALID or BYLAW_JSON_INVALID for what no host may ask.
 */
export async function voteOf(plugin: Plugin, subject: SubjectSketch): Promise<readonly Vote[]> {
  const { decision } = await explainAlone(plugin, subject);
  return decision.votes;
}

/** What a kernel with this plugin alone says of a subject, tap by tap. */
export async function explainAlone(plugin: Plugin, subject: SubjectSketch): Promise<Explanation> {
  const kernel = createKernel({ plugins: [plugin] }, { name: "examples" });
  return kernel.explain(await kernel.prepare(complete(subject)));
}

import { foldName } from "@bylaw/log";
import type { JudgedRequest } from "./judged-request.ts";

/** Whether an agent worked on the task: it requested a transition, or made calls other than a reviewer's. */
export function hasWorkedOn({
  request,
  compiled,
  gateState,
}: Pick<JudgedRequest, "compiled" | "gateState"> & {
  readonly request?: { readonly agent?: string };
}): (name: string) => boolean {
  const names = new Set(
    gateState.workers
      .filter(
        ({ asked, phases }) => asked || phases.some((phase) => !compiled.reviewing.has(phase)),
      )
      .map(({ name }) => name),
  );
  const asking = foldName(request?.agent ?? "");
  if (asking !== "") names.add(asking);
  return (name) => names.has(foldName(name));
}

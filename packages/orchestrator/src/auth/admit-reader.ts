import type { AgentCaller } from "./caller.ts";
import type { Route } from "../http/route.ts";
import { admitAgent } from "./admission.ts";
import type { Service } from "../service/service.ts";

/** Holds an agent that reads to its token, as the log says now: another node may have given the task to another agent. */
export async function admitReader(
  service: Service,
  caller: AgentCaller,
  route: Route,
): Promise<void> {
  await service.run.catchUp();
  await admitAgent(service, caller, { route, task: caller.task });
}

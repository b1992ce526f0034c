import { isAbsolute } from "node:path";
import { omitUndefined } from "@bylaw/kernel";
import { createTasks } from "@bylaw/plugin-tasks";
import type { CallContext, Tool } from "@bylaw/tools";
import { createAuthenticate } from "../auth/authenticate.ts";
import { createOperatorNames } from "../auth/operator-names.ts";
import { createRateLimit } from "../auth/rate-limit.ts";
import { createTokenReader } from "../auth/token-caller.ts";
import { createInFlight } from "../http/in-flight.ts";
import type { Log } from "../observe/logger.ts";
import { createSeeTests } from "../tasks/tests.ts";
import { createTokenDesk } from "../tasks/tokens.ts";
import { workspaces } from "../tasks/workspace.ts";
import { createExecutor } from "../tools/executor.ts";
import { keptBy, toolset } from "../tools/toolset.ts";
import type { OpenLog } from "./open-log.ts";
import { createOperations } from "./operations.ts";
import type { PreparedServer } from "./prepare-server.ts";
import type { Service, ServiceParts } from "./service.ts";

interface ServiceTerms {
  /** Go before the usual tools of the same name. */
  readonly tools: readonly Tool<CallContext>[];
  readonly log: Log;
  readonly now: () => string;
  readonly closing: AbortSignal;
  readonly over: AbortSignal;
}

/** Puts together all that routes work with. */
export function createService(
  prepared: PreparedServer,
  opened: OpenLog,
  { tools: more, log, now, closing, over }: ServiceTerms,
): Service {
  const { settings, rules, secrets, operators, workspace } = prepared;
  const { kernel, contract, signer } = rules;
  const { store, run, canCommit } = opened;
  const { hidden, kept: protect } = rules.serverFilePaths;
  const ofContract = keptBy(contract, settings);
  const seeTests = createSeeTests({
    ...settings.tools,
    run,
    contract,
    hidden,
    protect: [...ofContract, ...protect],
  });
  const view = run.view;
  const texts = prepared.secretTexts;
  const usual = toolset({
    settings,
    contract,
    seeTests,
    view,
    hidden,
    protect,
    secrets: texts,
    over,
  });
  const tasks = createTasks(run, contract, { now });
  const operations = createOperations({
    run,
    store,
    kernel,
    contract,
    tasks,
    now,
    log,
    onBreak: (error) => opened.onBreak(error),
    broken: () => opened.broken() !== undefined,
    refusals_per_second: settings.limits.refusals_per_second,
    every_ms: settings.operate.due_every_ms,
  });
  const limit = createRateLimit({
    per_second: settings.limits.agent_per_second,
    burst: settings.limits.agent_burst,
  });
  const parts: ServiceParts = {
    settings,
    run,
    store,
    kernel,
    contract,
    signer,
    now,
    log,
    closing,
    over,
    ...omitUndefined({ limit }),
    inFlight: createInFlight(settings.limits),
    workspaceOf: workspaces(workspace, {
      per_task: settings.workspace_per_task,
      wrapped: settings.tools.wrap.length > 0,
      serverFilePaths: [...hidden, ...protect, ...ofContract.filter((path) => isAbsolute(path))],
    }),
    tasks,
    operations,
    seeTests,
    canCommit,
    broken: () => opened.broken(),
    tokens: createTokenDesk({ run, signer, contract, now }),
    tools: new Map([...usual, ...more].map((tool) => [tool.name, tool])),
    authenticate: createAuthenticate(
      { ...secrets, operators, shared_enrolment: settings.auth.shared_enrolment },
      createTokenReader({ signer, run: run.run }),
    ),
    isOperatorName: createOperatorNames(operators),
    refused: (refusal, request) => operations.refusals.add(refusal, request),
    answered: (route, status, duration_ms) =>
      operations.metrics.answered(route, status, duration_ms),
  };
  return { ...parts, executor: createExecutor(parts) };
}

import { isAbsolute } from "node:path";
import { omitUndefined, type View } from "@bylaw/kernel";
import { createTasks } from "@bylaw/plugin-tasks";
import type { CallContext, Tool } from "@bylaw/tools";
import type { Operator } from "../approvals/operators.ts";
import { Authenticator } from "../auth/authenticate.ts";
import { createOperatorNames, type OperatorList } from "../auth/operator-list.ts";
import { createRateLimit } from "../auth/rate-limit.ts";
import { createTokenReader } from "../auth/token-caller.ts";
import { createInFlight } from "../http/in-flight.ts";
import { problem } from "../http/problem.ts";
import { AnswerLinks } from "../notify/answer-link.ts";
import type { Log } from "../observe/log.ts";
import { createTestObserver, type TestObserver } from "../tasks/test-observer.ts";
import { createTokenIssuer } from "../tasks/token-issuer.ts";
import { workspaces } from "../tasks/workspace.ts";
import { Executor } from "../tools/executor.ts";
import { protectedByContract, toolset } from "../tools/toolset.ts";
import type { OpenLog } from "./open-log.ts";
import { Operations } from "./operations.ts";
import type { PreparedServer } from "./prepare-server.ts";
import type { Service, WhatAllows } from "./service.ts";

interface ServiceOptions {
  /** Tools that take precedence over the default ones with the same names. */
  readonly tools: readonly Tool<CallContext>[];
  readonly allowing: WhatAllows | undefined;
  readonly log: Log;
  readonly now: () => string;
  readonly closing: AbortSignal;
  readonly over: AbortSignal;
}

/** Assembles everything that routes use. */
export function createService(
  prepared: PreparedServer,
  opened: OpenLog,
  options: ServiceOptions,
): Service {
  const { settings, rules, operators } = prepared;
  const { kernel, contract, signer } = rules;
  const { store, run, canCommit } = opened;
  const { log, now, closing, over } = options;
  const observeTestsOf = createTestObserver({
    ...settings.tools,
    run,
    contract,
    hidden: rules.serverFilePaths.hidden,
    protect: [...protectedByContract(contract, settings), ...rules.serverFilePaths.kept],
  });
  const tasks = createTasks(run, contract, { now });
  const links = new AnswerLinks(
    rules.signing.secrets.map(({ text }) => text),
    { run: run.run, now },
  );
  const operations = operationsOf(prepared, opened, { ...options, tasks, links });
  const authenticator = authenticatorOf(prepared, run.run);
  const { agent_per_second: per_second, agent_burst: burst } = settings.limits;
  const limit = createRateLimit({ per_second, burst });
  const parts: Omit<Service, "executor"> = {
    settings,
    run,
    store,
    kernel,
    contract,
    signer,
    tasks,
    links,
    operatorNamed: (name) => namedOperator(operators, name),
    operations,
    observeTestsOf,
    conceal: (text) => withoutSecrets(text, prepared.secretTexts),
    now,
    log,
    closing,
    over,
    canCommit,
    ...omitUndefined({ limit, allowing: options.allowing }),
    inFlight: createInFlight(settings.limits),
    workspaceOf: workspacesOf(prepared),
    broken: () => opened.broken(),
    tokens: createTokenIssuer({ run, signer, contract, now }),
    tools: toolsOf(prepared, options, { observeTestsOf, view: run.view }),
    authenticate: (authorization) => authenticator.identify(authorization),
    isOperatorName: createOperatorNames(operators),
    async refused(refusal, request) {
      await operations.refusals.add(refusal, request);
      return problem(refusal);
    },
    answered: (route, status, ms) => operations.metrics.answered(route, status, ms),
  };
  return { ...parts, executor: new Executor(parts) };
}

// While the file of operators is broken, nobody in it is known.
function namedOperator(operators: OperatorList, name: string): Operator | undefined {
  try {
    return operators().find((one) => one.name === name);
  } catch {
    return undefined;
  }
}

/** The fewest characters of a secret that is concealed, because shorter ones occur in ordinary words. */
const MIN_SECRET_LENGTH = 8;

const withoutSecrets = (text: string, secrets: readonly string[]): string =>
  secrets
    .filter(({ length }) => length >= MIN_SECRET_LENGTH)
    .reduce((rest, secret) => rest.replaceAll(secret, "[secret]"), text);

const authenticatorOf = (
  { settings, rules, secrets, operators }: PreparedServer,
  run: string,
): Authenticator =>
  new Authenticator(
    {
      enrol: secrets.enrol.text,
      operator: secrets.operator?.text,
      operators,
      shared_enrolment: settings.auth.shared_enrolment,
    },
    createTokenReader({ signer: rules.signer, run }),
  );

const operationsOf = (
  { settings, rules: { kernel, contract }, operators }: PreparedServer,
  { run, store, onBreak, broken }: OpenLog,
  {
    tasks,
    links,
    now,
    log,
  }: Pick<ServiceOptions, "now" | "log"> & Pick<Service, "tasks" | "links">,
): Operations =>
  new Operations({
    run,
    store,
    kernel,
    contract,
    tasks,
    operators,
    links,
    notify: settings.notify,
    now,
    log,
    onBreak,
    broken: () => broken() !== undefined,
    refusals_per_second: settings.limits.refusals_per_second,
    every_ms: settings.operate.due_every_ms,
  });

function toolsOf(
  { settings, rules, secretTexts: secrets }: PreparedServer,
  { tools: more, over }: ServiceOptions,
  { observeTestsOf, view }: { readonly observeTestsOf: TestObserver; readonly view: View },
): Service["tools"] {
  const { contract, serverFilePaths } = rules;
  const { hidden, kept: protect } = serverFilePaths;
  const usual = toolset({
    settings,
    contract,
    observeTestsOf,
    view,
    hidden,
    protect,
    secrets,
    over,
  });
  return new Map([...usual, ...more].map((tool) => [tool.name, tool]));
}

function workspacesOf({ settings, rules, workspace }: PreparedServer): (task: string) => string {
  const { hidden, kept } = rules.serverFilePaths;
  const ofContract = protectedByContract(rules.contract, settings).filter((path) =>
    isAbsolute(path),
  );
  return workspaces(workspace, {
    per_task: settings.workspace_per_task,
    wrapped: settings.tools.wrap.length > 0,
    serverFilePaths: [...hidden, ...kept, ...ofContract],
  });
}

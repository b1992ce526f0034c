import type { Step, Template } from "../template/template.ts";
import { interruptedHold, riskText } from "./holds.ts";
import type { LoopBack, NextAction } from "./next-action.ts";
import type { ActiveAgent, ActiveStep, WorkflowState } from "./state/types.ts";

/** Identifies one agent of one active step, so that its control file is read once. */
export const activeAgentKey = ({ step, visit, frames }: ActiveStep): string =>
  JSON.stringify([step, visit, frames.length, frames.at(-1)?.attempt]);

/** What follows once the agent of a step has run: what it or the agent that it called asked for, or the end of the step. Pure. */
export class Steering {
  readonly #template: Template;
  readonly #state: WorkflowState;
  readonly #activeStep: ActiveStep;
  /** Whether no other step is active, so that the workflow may go on elsewhere. */
  readonly #alone: boolean;
  readonly #step: Step;
  readonly #activeAgent: ActiveAgent;
  /** The name of the called agent. Null if the step's own agent is active. */
  readonly #called: string | null;
  readonly #isCodeMachine: boolean;

  constructor(template: Template, state: WorkflowState, activeStep: ActiveStep, alone: boolean) {
    const step = template.steps[activeStep.index];
    const activeAgent = activeStep.frames.at(-1);
    if (step === undefined || activeAgent === undefined)
      throw new TypeError("an active step without its step");
    this.#template = template;
    this.#state = state;
    this.#activeStep = activeStep;
    this.#alone = alone;
    this.#step = step;
    this.#activeAgent = activeAgent;
    this.#called = activeStep.frames.length > 1 ? activeAgent.agent : null;
    this.#isCodeMachine = template.compat === "codemachine";
  }

  /** `read`: the agents whose control file was read since this process began. */
  next(read: ReadonlySet<string>): NextAction {
    const [activeStep, activeAgent] = [this.#activeStep, this.#activeAgent];
    const again = this.#called === null ? undefined : this.#callAgain(this.#called);
    if (again !== undefined) return again;
    // CodeMachine ignored the requests of a called agent.
    if (activeAgent.status === "failed" || (this.#called !== null && this.#isCodeMachine))
      return this.#leave();
    if (!read.has(activeAgentKey(activeStep)))
      return { do: "ask", activeStep, activeAgent, step: this.#step };
    if (activeAgent.asked === "nothing") return this.#leave();
    return (
      (activeAgent.asked === "rejected" ? this.#rejected() : this.#directed()) ?? this.#leave()
    );
  }

  // A called agent that did not finish, or failed.
  #callAgain(called: string): NextAction | undefined {
    const { status, attempt } = this.#activeAgent;
    if (status === "running")
      return interruptedHold(this.#step, this.#activeStep) ?? this.#call(called, attempt + 1);
    if (status !== "failed" || this.#step.continue_on_error || this.#isCodeMachine)
      return undefined;
    const message = `Agent \`${called}\`, called by step \`${this.#step.id}\`, failed`;
    return this.#hold("failed", message) ?? this.#call(called, attempt + 1);
  }

  #directed(): NextAction | undefined {
    const { directive, called } = this.#activeAgent;
    switch (directive?.action) {
      case "stop":
        return { do: "end", outcome: "stopped", step: this.#step.id, reason: this.#called };
      case "trigger":
        return called ? undefined : this.#call(String(directive["agent"]), 1);
      case "vibecheck":
        return this.#oversight();
      case "loop":
        return this.#called === null ? this.#loop(directive) : undefined;
      default:
        return undefined;
    }
  }

  #loop({ to, skip }: NonNullable<ActiveAgent["directive"]>): NextAction | undefined {
    const target = this.#template.steps.findIndex(({ id }) => id === to);
    // A configured plugin may name any step, so check that the step exists.
    if (target < 0 || target > this.#activeStep.index)
      return this.#hold(
        "rejected",
        `Cannot loop back to \`${String(to)}\`: it is not an earlier step`,
      );
    return this.#leave({
      to: target,
      skip: Array.isArray(skip) ? skip.map(String) : [],
      ...(this.#isCodeMachine ? { kept: true } : {}),
    });
  }

  #rejected(): NextAction | undefined {
    if (this.#isCodeMachine) return undefined;
    const { code = "", reason = "" } = this.#activeAgent.refusal ?? {};
    if (code !== "loop_limit" && code !== "loop_stalled") return this.#hold("rejected", reason);
    const { id, loop } = this.#step;
    const then = loop?.on_limit ?? "continue";
    if (then === "stop")
      return { do: "end", outcome: "stopped", step: id, reason: reason.slice(0, 1_000) };
    return then === "hold" ? this.#hold("limit", reason) : undefined;
  }

  #oversight(): NextAction | undefined {
    const [activeStep, activeAgent] = [this.#activeStep, this.#activeAgent];
    if (activeAgent.oversight === "due")
      return { do: "oversee", activeStep, activeAgent, step: this.#step };
    if (activeAgent.oversight === "failed")
      return this.#hold("oversight", "The requested oversight did not take place");
    const limit = this.#template.oversight?.hold_at ?? 0.7;
    if (activeAgent.risk < limit) return undefined;
    return this.#hold("risk", riskText(activeAgent.risk, limit, this.#state.advice));
  }

  /** Waits for a person, unless one has released this hold. */
  #hold(why: string, message: string): NextAction | undefined {
    if (this.#activeStep.released.includes(why)) return undefined;
    return { do: "hold", step: this.#step.id, why, message: message.slice(0, 1_000) };
  }

  #call(agent: string, attempt: number): NextAction {
    return { do: "call", activeStep: this.#activeStep, agent, attempt, step: this.#step };
  }

  #leave(loop: LoopBack | null = null): NextAction {
    const activeStep = this.#activeStep;
    if (this.#called !== null) {
      const ok = this.#activeAgent.status === "done";
      return { do: "return", activeStep, agent: this.#called, ok };
    }
    const next = this.#alone ? (loop?.to ?? activeStep.next) : null;
    return { do: "settle", activeStep, next, loop };
  }
}

import type { Step } from "../template/template.ts";
import type { SkipReason } from "./skip-reason.ts";
import type { ActiveAgent, ActiveStep } from "./state/types.ts";

/** A step that is to be attempted. */
export interface Start {
  readonly step: Step;
  readonly index: number;
  readonly next: number;
  readonly visit: number;
  readonly attempt: number;
  readonly fallback: boolean;
}

/** Where a loop goes back to and which steps it skips. `kept`: the skips stay when the loop is over. */
export interface LoopBack {
  readonly to: number;
  readonly skip: readonly string[];
  readonly kept?: boolean;
}

/** What a workflow does next. */
export type NextAction =
  | { readonly do: "begin" | "ended" | "held" | "paused" }
  | {
      readonly do: "end";
      readonly outcome: "completed" | "stopped";
      readonly step: string | null;
      readonly reason: string | null;
    }
  | {
      readonly do: "enter";
      readonly skips: readonly {
        readonly step: Step;
        readonly index: number;
        readonly next: number;
        readonly why: SkipReason;
      }[];
      readonly starts: readonly Start[];
    }
  | { readonly do: "run"; readonly starts: readonly Start[] }
  | {
      readonly do: "ask" | "oversee";
      readonly activeStep: ActiveStep;
      readonly activeAgent: ActiveAgent;
      readonly step: Step;
    }
  | {
      readonly do: "call";
      readonly activeStep: ActiveStep;
      readonly agent: string;
      readonly attempt: number;
      readonly step: Step;
    }
  | {
      readonly do: "return";
      readonly activeStep: ActiveStep;
      readonly agent: string;
      readonly ok: boolean;
    }
  | {
      readonly do: "settle";
      readonly activeStep: ActiveStep;
      readonly next: number | null;
      readonly loop: LoopBack | null;
    }
  | { readonly do: "due"; readonly step: string; readonly why: "steps" | "kind" }
  | { readonly do: "look"; readonly step: Step }
  | { readonly do: "hold"; readonly step: string; readonly why: string; readonly message: string };

import { useEffect, useState } from "preact/hooks";
import { follow, get } from "./api.ts";

/** A question as the server lists it. The fields depend on its kind. */
export interface Asked {
  /** Stands for exactly this content: other content has another id. */
  readonly id: string;
  readonly kind: "gate" | "call" | "pause" | "hold";
  readonly state: string;
  readonly agent: string | null;
  readonly task: string | null;
  readonly reason?: string | null;
  readonly asked_at?: string;
  readonly tool?: string;
  readonly args?: unknown;
  /** The whole call. Left out if parts of it were redacted. */
  readonly call?: unknown;
  readonly gate?: string;
  readonly phase?: string;
  readonly to?: string;
  readonly opened_at?: string;
  readonly expires_at?: string | null;
  readonly approvers?: readonly string[];
  readonly quorum?: number;
  readonly approvals?: readonly {
    readonly by: string;
    readonly role: string;
    readonly verdict: string;
  }[];
  readonly content?: unknown;
  readonly before?: unknown;
  readonly redacted?: boolean;
  readonly step?: string | null;
}

interface QuestionPage {
  readonly approvals: readonly Asked[];
  readonly total: number;
}

/** The open questions of a run. */
export interface OpenQuestions {
  readonly questions: readonly Asked[];
  readonly total: number;
  readonly state: "loading" | "live" | "offline";
  readonly error: string | undefined;
}

/** How many questions are listed. */
const LIMIT = 100;
/** The least time between two readings, in milliseconds. */
const PAUSE_MS = 300;

/** How often to look again while a question can expire, which no event tells. */
const HELD_MS = 5_000;

/** Lists what waits for a person, again after each event. */
export function useQuestions(run: string | undefined): OpenQuestions {
  const [page, setPage] = useState<QuestionPage>({ approvals: [], total: 0 });
  const [state, setState] = useState<OpenQuestions["state"]>("loading");
  const [error, setError] = useState<string>();
  useEffect(() => {
    const { signal, abort } = abortable();
    let again: ReturnType<typeof setTimeout> | undefined;
    let isReading = false;
    let isStale = false;
    const load = async (): Promise<void> => {
      isStale = true;
      if (isReading) return;
      isReading = true;
      try {
        while (isStale && !signal.aborted) {
          isStale = false;
          const page = await get<QuestionPage>("approvals", { run, limit: LIMIT }, signal);
          setPage(page);
          clearTimeout(again);
          if (page.approvals.some(isHeld)) again = setTimeout(() => void load(), HELD_MS);
          setError(undefined);
          await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
        }
      } catch (failure) {
        if (!signal.aborted) setError((failure as Error).message);
      } finally {
        isReading = false;
      }
    };
    const start = async (): Promise<void> => {
      const { head } = await get<{ readonly head: number }>("decisions", { run, limit: 1 }, signal);
      void load();
      const on = {
        event: () => void load(),
        state: (live: boolean) => setState(live ? "live" : "offline"),
      };
      await follow(run, head, on, signal);
    };
    start().catch((failure: Error) => {
      if (signal.aborted) return;
      setError(failure.message);
      setState("offline");
    });
    return () => {
      clearTimeout(again);
      abort();
    };
  }, [run]);
  return { questions: page.approvals, total: page.total, state, error };
}

const isHeld = ({ kind, expires_at }: Asked): boolean =>
  kind === "call" && typeof expires_at === "string";

function abortable(): { readonly signal: AbortSignal; readonly abort: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}

/** What a question is about, in a line. */
export function titleOf({ kind, tool, gate, to, step }: Asked): string {
  if (kind === "call") return `Call of ${tool ?? ""}`;
  if (kind === "gate") return `Gate ${gate ?? ""}, to ${to ?? ""}`;
  return `${kind === "pause" ? "Paused" : "Held"}${typeof step === "string" ? ` at ${step}` : ""}`;
}

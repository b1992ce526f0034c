import { useEffect, useRef, useState } from "preact/hooks";
import type { OfferLinks } from "../src/offer-links.ts";
import type { RowFilter } from "../src/rows.ts";
import { WhatAllows } from "./allowing.tsx";
import { get } from "./api.ts";
import { Offer } from "./offer.tsx";
import { Effect, effectWord, jsonText, LongText, Text } from "./text.tsx";

interface Rule {
  readonly name?: string;
  readonly file?: string;
  readonly line?: number;
}

interface Vote {
  readonly effect: string;
  readonly code?: string;
  readonly reason?: string;
  readonly fix?: string;
  readonly rule?: Rule;
  readonly plugin?: string;
  readonly tap?: string;
  readonly from?: string;
}

interface Decision extends Vote {
  readonly by?: string;
  readonly applied?: string;
  readonly votes?: readonly Vote[];
  readonly shadow?: readonly Vote[];
  readonly enforcement_mode?: string;
  readonly policy_digest?: string;
  readonly instead?: object;
}

interface Opened extends OfferLinks {
  readonly event: {
    readonly sequence: number;
    readonly timestamp: string;
    readonly event_type: string;
    readonly agent_id: string | null;
    readonly task_id: string | null;
    readonly hash?: string;
    readonly details: Readonly<Record<string, unknown>> & { readonly decision?: Decision };
  };
  readonly phase: string | null;
}

interface PanelProps {
  readonly run: string | undefined;
  readonly sequence: number;
  readonly onFilter: (filter: RowFilter) => void;
  /** Opens another event. */
  readonly onOpen: (sequence: number) => void;
  /** Shows the state of the run after an event. */
  readonly onState: (sequence: number) => void;
  readonly onClose: () => void;
}

/** One event with everything that was decided about it. */
export function DecisionPanel(props: PanelProps) {
  const { run, sequence, onFilter, onOpen, onState, onClose } = props;
  const [opened, setOpened] = useState<Opened>();
  const [error, setError] = useState<string>();
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    const ended = new AbortController();
    setError(undefined);
    get<Opened>(`decisions/${sequence}`, { run }, ended.signal)
      .then(setOpened)
      .catch((failure: Error) => !ended.signal.aborted && setError(failure.message));
    panel.current?.focus();
    return () => ended.abort();
  }, [run, sequence]);
  return (
    <section
      class="panel"
      aria-label={`Event ${sequence}`}
      tabIndex={-1}
      ref={panel}
      onKeyDown={(event) => event.key === "Escape" && onClose()}
    >
      <div class="panel-head">
        <h2>Event {sequence.toLocaleString("en")}</h2>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
      {error !== undefined && <p class="error">{error}</p>}
      {opened?.event.sequence === sequence && (
        <Details {...{ run, opened, onFilter, onOpen, onState }} />
      )}
    </section>
  );
}

interface DetailsProps extends Pick<PanelProps, "run" | "onFilter" | "onOpen" | "onState"> {
  readonly opened: Opened;
}

function Details({ run, opened, onFilter, onOpen, onState }: DetailsProps) {
  const { event, phase, offered, offered_by } = opened;
  const { decision, tool, args, ...rest } = event.details;
  return (
    <>
      {decision !== undefined && (
        <p class="verdict">
          <Effect of={decision.applied ?? decision.effect} /> <Text>{decision.reason ?? null}</Text>
        </p>
      )}
      {decision?.fix !== undefined && (
        <p>
          <strong>What to do: </strong>
          <Text>{decision.fix}</Text>
        </p>
      )}
      <Facts
        facts={[
          ["Tool", typeof tool === "string" ? tool : null, "tool"],
          ["Agent", event.agent_id, "agent"],
          ["Task", event.task_id, "task"],
          ["Phase", phase, "phase"],
          ["Rule", decision?.rule?.name ?? null, "rule"],
          ["At", placeOf(decision?.rule)],
          ["Code", decision?.code ?? null, "code"],
          ["Decided by", decision?.by ?? null],
          ["Decided", decidedOtherwise(decision)],
          ["Mode", decision?.enforcement_mode ?? null],
          ["Type", event.event_type],
          ["Time", event.timestamp],
          ["Policies", decision?.policy_digest ?? null],
          ["Hash", event.hash ?? null],
        ]}
        onFilter={onFilter}
      />
      <button type="button" onClick={() => onState(event.sequence)}>
        State of the run after this event
      </button>
      {args !== undefined && (
        <>
          <h3>Arguments</h3>
          <LongText text={jsonText(args)} label="Arguments" />
        </>
      )}
      {decision !== undefined && (
        <Offer {...{ instead: decision.instead, offered, offered_by, onOpen }} />
      )}
      {decision !== undefined && <Votes title="Votes" votes={decision.votes ?? []} />}
      {decision?.shadow !== undefined && <Votes title="In shadow" votes={decision.shadow} />}
      {decision !== undefined && decision.effect !== "allow" && (
        <WhatAllows
          {...{ run, sequence: event.sequence, votes: decision.votes ?? [] }}
          isCall={typeof tool === "string"}
        />
      )}
      <h3>Other details</h3>
      <LongText text={jsonText(rest)} label="Other details" />
    </>
  );
}

// A host may run a call that no rule covers, and so does a mode that only observes.
const decidedOtherwise = (decision: Decision | undefined): string | null =>
  decision?.applied === undefined || decision.applied === decision.effect
    ? null
    : effectWord(decision.effect);

const placeOf = (rule: Rule | undefined): string | null =>
  rule?.file === undefined ? null : `${rule.file}${rule.line === undefined ? "" : `:${rule.line}`}`;

interface FactsProps extends Pick<PanelProps, "onFilter"> {
  readonly facts: readonly (readonly [
    label: string,
    value: string | null,
    field?: keyof RowFilter,
  ])[];
}

function Facts({ facts, onFilter }: FactsProps) {
  return (
    <dl class="facts">
      {facts.map(([label, value, field]) =>
        value === null ? null : (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              <Text>{value}</Text>
              {field !== undefined && (
                <button
                  type="button"
                  class="small"
                  aria-label={`Show only this ${label.toLowerCase()}`}
                  onClick={() => onFilter({ [field]: value })}
                >
                  only
                </button>
              )}
            </dd>
          </div>
        ),
      )}
    </dl>
  );
}

function Votes({ title, votes }: { readonly title: string; readonly votes: readonly Vote[] }) {
  return (
    <>
      <h3>
        {title} ({votes.length})
      </h3>
      {votes.length === 0 && <p>No rule voted. The default decided.</p>}
      <ol class="votes">
        {votes.map((vote, index) => (
          <li key={index}>
            <Effect of={vote.effect} />{" "}
            <strong>
              <Text>{vote.rule?.name ?? `${vote.plugin ?? ""}/${vote.tap ?? ""}`}</Text>
            </strong>{" "}
            <span class="muted">
              <Text>
                {[placeOf(vote.rule), vote.plugin, vote.from, vote.code]
                  .filter((part) => part !== null && part !== undefined)
                  .join(" · ")}
              </Text>
            </span>
            <p>
              <Text>{vote.reason ?? null}</Text>
            </p>
            {vote.fix !== undefined && (
              <p class="muted">
                <Text>{vote.fix}</Text>
              </p>
            )}
          </li>
        ))}
      </ol>
    </>
  );
}

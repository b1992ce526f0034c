import { useEffect, useState } from "preact/hooks";
import type { Row, RowFilter } from "../src/rows.ts";
import { DecisionPanel } from "./decision.tsx";
import { timeText } from "./shown.ts";
import { Effect, Text } from "./text.tsx";
import { useRows, type Rows } from "./use-rows.ts";
import { VirtualList } from "./virtual-list.tsx";

/** The height of a row; the style sheet has it too. */
const HEIGHT = 44;

/** Whether there is room for the filters from the start. */
const WIDE = matchMedia("(min-width: 801px)").matches;

const HEADS = ["Time", "Effect", "Tool", "Call", "Rule or code", "Agent"];

const FIELDS = [
  ["rule", "Rule"],
  ["agent", "Agent"],
  ["tool", "Tool"],
  ["phase", "Phase"],
  ["code", "Code"],
  ["task", "Task"],
] as const;

interface DecisionsProps {
  readonly run: string | undefined;
  /** Shows the state of the run after an event. */
  readonly onState: (sequence: number) => void;
}

/** The decisions of a run as they come, with filters, and one of them opened. */
export function Decisions({ run, onState }: DecisionsProps) {
  const [filter, setFilter] = useState<RowFilter>({ decided: true });
  const [active, setActive] = useState(-1);
  const [open, setOpen] = useState<number>();
  const rows = useRows(run, filter);
  const change = (changed: RowFilter): void => {
    setFilter((before) => ({ ...before, ...changed }));
    setActive(-1);
  };
  const list = rows.rows;
  return (
    <div class={open === undefined ? "split" : "split opened"}>
      <section class="column" aria-label="Decisions">
        <details open={WIDE}>
          <summary>Filters</summary>
          <Filters filter={filter} onChange={change} />
        </details>
        <Status rows={rows} />
        <p class="heads" aria-hidden="true">
          {HEADS.map((head) => (
            <span key={head}>{head}</span>
          ))}
        </p>
        <VirtualList
          count={list.length}
          height={HEIGHT}
          label="Decisions, the newest first"
          idOf={(index) => `row-${list[index]?.sequence ?? 0}`}
          active={active}
          onActive={setActive}
          onOpen={(index) => setOpen(list[index]?.sequence)}
          onEnd={rows.more}
          onScroll={rows.setAtTop}
        >
          {(index) => {
            const row = list[index];
            if (row === undefined) return null;
            return (
              <Line
                key={row.sequence}
                row={row}
                isActive={index === active}
                isOpen={row.sequence === open}
                onOpen={() => {
                  setActive(index);
                  setOpen(row.sequence);
                }}
              />
            );
          }}
        </VirtualList>
      </section>
      {open !== undefined && (
        <DecisionPanel
          run={run}
          sequence={open}
          onFilter={change}
          onOpen={setOpen}
          onState={onState}
          onClose={() => {
            setOpen(undefined);
            document.querySelector<HTMLElement>(".list")?.focus();
          }}
        />
      )}
    </div>
  );
}

const NO_FILTER: RowFilter = {
  effect: undefined,
  ...Object.fromEntries(FIELDS.map(([field]) => [field, undefined])),
};

interface FiltersProps {
  readonly filter: RowFilter;
  readonly onChange: (changed: RowFilter) => void;
}

function Filters({ filter, onChange }: FiltersProps) {
  const chosen = (text: string): string | undefined => (text === "" ? undefined : text);
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <label>
        Effect
        <select
          value={filter.effect ?? ""}
          onChange={({ currentTarget }) => onChange({ effect: chosen(currentTarget.value) })}
        >
          <option value="">any</option>
          <option value="deny">denied</option>
          <option value="ask_user">asked</option>
          <option value="allow">allowed</option>
        </select>
      </label>
      {FIELDS.map(([field, label]) => (
        <Field
          key={field}
          label={label}
          value={filter[field] ?? ""}
          onChange={(text) => onChange({ [field]: chosen(text) })}
        />
      ))}
      <label class="check">
        <input
          type="checkbox"
          checked={filter.decided !== true}
          onChange={({ currentTarget }) => onChange({ decided: !currentTarget.checked })}
        />
        All events
      </label>
      {Object.values(filter).some((value) => value !== undefined && value !== true) && (
        <button type="button" onClick={() => onChange({ ...NO_FILTER, decided: true })}>
          Clear filters
        </button>
      )}
    </form>
  );
}

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

/** A filter that counts once it is entered. What is typed must outlast the redrawing of the list meanwhile. */
function Field({ label, value, onChange }: FieldProps) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  return (
    <label>
      {label}
      <input
        type="search"
        autocomplete="off"
        spellcheck={false}
        value={typed}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        onChange={({ currentTarget }) => onChange(currentTarget.value.trim())}
      />
    </label>
  );
}

function Status({ rows }: { readonly rows: Rows }) {
  const { state, waiting, next, error, isFull } = rows;
  const words = { loading: "Loading …", live: "Live", offline: "Not connected" } as const;
  return (
    <p class="status" role="status">
      <span class={`state ${state}`}>{words[state]}</span>
      <span>
        {rows.rows.length.toLocaleString("en")} shown
        {next === undefined ? "" : `, searched down to event ${next.toLocaleString("en")}`}
      </span>
      {state === "live" && rows.rows.length === 0 && (
        <span>
          {next === undefined ? "Nothing matches in this run." : "Nothing matches so far."}
        </span>
      )}
      {error !== undefined && <span class="error">{error}</span>}
      {isFull && <span>Narrow the filters to see older ones.</span>}
      {waiting > 0 && (
        <button
          type="button"
          onClick={() => {
            rows.showWaiting();
            document.querySelector(".list")?.scrollTo(0, 0);
          }}
        >
          Show {waiting.toLocaleString("en")} new
        </button>
      )}
      {next !== undefined && !isFull && (
        <button type="button" onClick={rows.more}>
          Search further back
        </button>
      )}
    </p>
  );
}

interface LineProps {
  readonly row: Row;
  readonly isActive: boolean;
  readonly isOpen: boolean;
  readonly onOpen: () => void;
}

function Line({ row, isActive, isOpen, onOpen }: LineProps) {
  return (
    <div
      id={`row-${row.sequence}`}
      role="option"
      aria-selected={isOpen}
      class={isActive ? "line active" : "line"}
      onClick={onOpen}
    >
      <time dateTime={row.timestamp}>{timeText(row.timestamp)}</time>
      <Effect of={row.effect} />
      <span class="tool">
        <Text>{row.tool ?? row.type}</Text>
      </span>
      <span class="summary">
        <Text>{row.summary}</Text>
      </span>
      <span class="rule">
        <Text>{row.rule ?? row.code}</Text>
      </span>
      <span class="agent">
        <Text>{row.agent}</Text>
      </span>
    </div>
  );
}

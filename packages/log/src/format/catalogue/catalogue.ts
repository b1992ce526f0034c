import { BylawError, checkArgument, type JsonObject } from "@bylaw/kernel";
import type { EventType } from "../../state/declared.ts";
import type { CatalogueType } from "./catalogue-type.ts";
import { detailsProblem } from "./details.ts";
import { DEVELOPER_TYPES } from "./developer.ts";
import { EXPERT_TYPES } from "./expert.ts";
import { GUIDANCE_TYPES } from "./guidance.ts";
import { INFRASTRUCTURE_TYPES } from "./infrastructure.ts";
import { nearest, quote } from "@bylaw/wording";
import { REVIEW_TYPES } from "./review.ts";
import { RUN_TYPES } from "./run-types.ts";
import { SESSION_TYPES } from "./session.ts";

/** The 53 event types of a coordinator's log, from spec/003. */
export const COORDINATOR_TYPES: readonly CatalogueType[] = [
  ...SESSION_TYPES,
  ...EXPERT_TYPES,
  ...DEVELOPER_TYPES,
  ...REVIEW_TYPES,
  ...INFRASTRUCTURE_TYPES,
  ...GUIDANCE_TYPES,
];

/** The modes of a catalogue. */
const CATALOGUE_MODES = ["lenient", "strict"] as const;

/**
 * `lenient`: an unknown type is a warning, and details are not checked. `strict`: an unknown type is an error, and details must fit their
 * type.
 */
export type CatalogueMode = (typeof CATALOGUE_MODES)[number];

/** Options of `createCatalogue`. */
export interface CatalogueOptions {
  /** Default: `lenient`. */
  readonly mode?: CatalogueMode;
  /** More types. Their names must not be in the catalogue already. */
  readonly types?: readonly EventType[];
}

/** Why an event does not fit the catalogue. */
export interface CatalogueProblem {
  readonly kind: "type" | "details";
  readonly message: string;
}

/** The event types that a log may hold. */
export interface Catalogue {
  readonly mode: CatalogueMode;
  /** Every type, by name. */
  readonly types: ReadonlyMap<string, EventType>;
  /** Returns what is wrong with an event in this mode, or `undefined` if it fits. */
  check(event_type: string, details: JsonObject): CatalogueProblem | undefined;
}

// Suggestions are cached for this many unknown names, because a log can hold millions.
const REMEMBERED = 1_000;

/** Creates a catalogue of the coordinator's types, the types of a run, and yours. Throws BYLAW_OPTIONS_INVALID for a name that is taken. */
export function createCatalogue(options: CatalogueOptions = {}): Catalogue {
  const { mode = "lenient", types: added = [] } = checkArgument(
    "createCatalogue",
    "options",
    options,
  );
  const types = new Map<string, EventType>();
  for (const type of [...COORDINATOR_TYPES, ...RUN_TYPES, ...added]) {
    if (types.has(type.name)) {
      throw new BylawError({
        code: "BYLAW_OPTIONS_INVALID",
        message: `The event type \`${type.name}\` is already in the catalogue.`,
        fix: "Give your type another name",
      });
    }
    types.set(type.name, type);
  }
  const unknown = new Map<string, CatalogueProblem>();

  function unknownType(name: string): CatalogueProblem {
    const known = unknown.get(name);
    if (known !== undefined) return known;
    const near = nearest(name, types.keys());
    const advice = near === undefined ? "" : `. Did you mean \`${near}\`?`;
    const problem = {
      kind: "type",
      message: `Unknown event type ${quote(name)}${advice}`,
    } as const;
    if (unknown.size < REMEMBERED) unknown.set(name, problem);
    return problem;
  }

  return {
    mode,
    types,
    check(event_type, details) {
      const type = types.get(event_type);
      if (type === undefined) return unknownType(event_type);
      if (mode === "lenient") return undefined;
      const problem = detailsProblem(type, details);
      return problem === undefined ? undefined : { kind: "details", message: problem };
    },
  };
}

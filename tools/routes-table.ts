import { describeServer } from "../packages/orchestrator/src/routes/index.ts";
import { code, table } from "./markdown.ts";

interface Schema {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

interface Operation {
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
  }[];
  readonly requestBody?: {
    readonly content: { readonly "application/json": { readonly schema: Schema } };
  };
  readonly responses: Readonly<Record<string, { readonly description: string }>>;
}

const CALLERS: Readonly<Record<string, string>> = {
  phase_token: "agent",
  operator_token: "operator",
  enrolment: "enrolment",
};
/** Every route may answer with these, so the table shows only the others. */
const REFUSALS: ReadonlySet<string> = new Set(["400", "401", "403", "429"]);

/** The server's routes as a table, from its OpenAPI document: who may ask, with what, and for which answer. */
export function routesTable(): string {
  const { paths } = describeServer() as unknown as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  };
  const rows = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [
      code(`${method.toUpperCase()} ${path}`),
      operation.description === undefined
        ? operation.summary
        : `${operation.summary}. ${operation.description}`,
      callersOf(operation),
      takenBy(operation),
      answersOf(operation),
    ]),
  );
  return table(["Route", "What it does", "Who may ask", "Takes", "Answers"], rows);
}

const callersOf = ({ security }: Operation): string =>
  security.length === 0
    ? "anyone"
    : security.flatMap((one) => Object.keys(one).map((name) => CALLERS[name] ?? name)).join(", ");

function takenBy({ parameters = [], requestBody }: Operation): string {
  const query = parameters
    .filter((one) => one.in === "query")
    .map(({ name, required = false }) => code(required ? name : `${name}?`));
  const schema = requestBody?.content["application/json"].schema ?? {};
  return [...query, fieldsOf(schema)].filter((text) => text !== "").join(", ");
}

function fieldsOf({ properties = {}, required = [], anyOf, oneOf }: Schema): string {
  const choices = anyOf ?? oneOf;
  if (choices !== undefined) return choices.map(fieldsOf).join(" or ");
  return Object.keys(properties)
    .map((name) => code(required.includes(name) ? name : `${name}?`))
    .join(", ");
}

const answersOf = ({ responses }: Operation): string =>
  Object.entries(responses)
    .filter(([status]) => !REFUSALS.has(status))
    .map(([status, { description }]) => `${status}: ${description}`)
    .join("; ");

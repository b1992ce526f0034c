import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT } from "../.vitepress/pages.ts";

interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

interface Operation {
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
  };
  readonly responses: Readonly<Record<string, { readonly description: string }>>;
}

/** The OpenAPI document of the service, which needs its packages, so another process makes it. */
function described(): Readonly<Record<string, Readonly<Record<string, Operation>>>> {
  const routes = pathToFileURL(join(ROOT, "packages/orchestrator/dist/routes/index.js")).href;
  const script = `import { describeServer } from ${JSON.stringify(routes)}; process.stdout.write(JSON.stringify(describeServer().paths));`;
  const text = execFileSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
  return JSON.parse(text) as ReturnType<typeof described>;
}

/** A page for each part of the service, with its routes. */
export default {
  paths() {
    const routes = Object.entries(described()).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, one]) => ({
        part: one.tags[0] ?? "server",
        text: routeText(`${method.toUpperCase()} ${path}`, one),
      })),
    );
    return Object.entries(Object.groupBy(routes, ({ part }) => part)).map(([part, all = []]) => ({
      params: { part },
      content: [`# The service: ${part}`, ...all.map(({ text }) => text)].join("\n\n"),
    }));
  },
};

function routeText(name: string, one: Operation): string {
  const { summary, description, parameters = [], requestBody, responses } = one;
  const body = Object.values(requestBody?.content ?? {})[0]?.schema;
  const fields = [
    ...parameters.map(({ name: field, in: place, required = false, schema }) =>
      rowOf(field, schema, { required, place }),
    ),
    ...fieldsOf(body),
  ];
  return [
    `## \`${name}\``,
    `${summary}.${description === undefined ? "" : ` ${description}`}`,
    ...(fields.length === 0
      ? []
      : [["| Field | In | Type | Required |", "| --- | --- | --- | --- |", ...fields].join("\n")]),
    Object.entries(responses)
      .map(([status, { description: said }]) => `- **${status}**: ${said}`)
      .join("\n"),
  ].join("\n\n");
}

const fieldsOf = (schema: Schema | undefined): readonly string[] => {
  const choices = schema?.anyOf ?? schema?.oneOf;
  if (choices !== undefined) return [...new Set(choices.flatMap(fieldsOf))];
  return Object.entries(schema?.properties ?? {}).map(([name, field]) =>
    rowOf(name, field, { required: schema?.required?.includes(name) === true, place: "body" }),
  );
};

const rowOf = (
  name: string,
  schema: Schema,
  { required, place }: { readonly required: boolean; readonly place: string },
): string => `| \`${name}\` | ${place} | ${cell(typeOf(schema))} | ${required ? "yes" : ""} |`;

function typeOf({ type, enum: values, items, anyOf, oneOf }: Schema): string {
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(", ");
  const choices = anyOf ?? oneOf;
  if (choices !== undefined) return [...new Set(choices.map(typeOf))].join(" or ");
  if (type === "array") return `list of ${typeOf(items ?? {})}`;
  return typeof type === "string" ? type : (type?.join(" or ") ?? "any");
}

const cell = (text: string): string => `\`${text.replaceAll("|", "\\|")}\``;

/** The reference of what packages and plugins export. */
export default {
  plugin: ["typedoc-plugin-markdown"],
  entryPoints: ["../../packages/*/src/index.ts", "../../plugins/*/src/index.ts"],
  exclude: ["../../packages/{cli,create-bylaw}/**"],
  out: "api",
  router: "module",
  readme: "none",
  name: "API",
  entryFileName: "index",
  basePath: "../..",
  disableSources: true,
  excludeInternal: true,
  excludeExternals: true,
  hideBreadcrumbs: true,
  hidePageHeader: true,
  skipErrorChecking: true,
  parametersFormat: "table",
  interfacePropertiesFormat: "table",
  propertyMembersFormat: "table",
  typeDeclarationFormat: "table",
  enumMembersFormat: "table",
  validation: false,
  logLevel: "Warn",
  pageTitleTemplates: { module: ({ name }) => packageOf(name) },
};

/** `plugins/gates/src` is `@bylaw/plugin-gates`. */
const packageOf = (module) =>
  module
    .replace(/\/src$/, "")
    .replace(/^plugins\//, "@bylaw/plugin-")
    .replace(/^packages\//, "@bylaw/");

import { extname } from "node:path";
import type { DataFile } from "./data-file.ts";
import { parseJson } from "./parse-json.ts";

/**
 * Parses a JSON, YAML or TOML text by the extension of its file. Throws BYLAW_CONFIG_INVALID or BYLAW_JSON_INVALID. Each parser is
 * loaded on demand.
 */
export async function parseData(file: string, text: string): Promise<DataFile> {
  const extension = extname(file);
  if (extension === ".toml") {
    const { tomlValue, tomlPlace } = await import("./parse-toml.ts");
    return { value: tomlValue(file, text), place: async (path) => tomlPlace(text, path) };
  }
  // JSON is also YAML, so the YAML parser can find the places in both.
  const yaml = () => import("./parse-yaml.ts");
  const place: DataFile["place"] = async (path) => (await yaml()).yamlPlace(text, path);
  if (extension === ".json") return { value: parseJson(text, { file }), place };
  return { value: (await yaml()).yamlValue(file, text), place };
}

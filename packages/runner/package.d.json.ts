/** What the plugin reads of its package.json, which itself stays out of the build. */
declare const manifest: { readonly name: string; readonly version: string };
export = manifest;

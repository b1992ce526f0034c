/** The fields of package.json that the plugin reads. The file itself is not part of the build. */
declare const manifest: { readonly name: string; readonly version: string };
export = manifest;

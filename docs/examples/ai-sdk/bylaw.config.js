import { policy } from "@bylaw/plugin-policy";

export default { plugins: [policy({ files: ["policy.toml"], operator: true })] };

import { BlockList, isIP, isIPv6 } from "node:net";

// Networks that are not on the public internet: this machine, private and carrier networks, documentation, multicast, and reserved ones.
const V4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
];
// Includes networks that embed IPv4 addresses. No page is reachable only through these.
const V6 = [
  "::/96",
  "::ffff:0:0/96",
  "64:ff9b::/96",
  "64:ff9b:1::/48",
  "100::/64",
  "2001::/23",
  "2001:db8::/32",
  "2002::/16",
];
const V6_LOCAL = ["3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8"];

const blocked = new BlockList();
for (const [kind, nets] of [
  ["ipv4", V4],
  ["ipv6", [...V6, ...V6_LOCAL]],
] as const)
  for (const net of nets) {
    const [address = "", bits = ""] = net.split("/");
    blocked.addSubnet(address, Number(bits), kind);
  }

/** Whether a text is a public IP address. */
export function isPublic(address: string): boolean {
  if (isIP(address) === 0 || address.includes("%")) return false;
  return !blocked.check(address, isIPv6(address) ? "ipv6" : "ipv4");
}

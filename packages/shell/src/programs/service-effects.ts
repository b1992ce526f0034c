import type { EffectTable } from "./effect-patterns.ts";

/** The effects of clients for other machines, hosted services, containers and databases. */
export const SERVICE_EFFECTS: EffectTable = {
  [`curl wget wget2 aria2c http https xh lynx w3m ssh scp sftp ssh-copy-id ssh-keyscan mosh autossh sshpass rsh rlogin telnet nc ncat netcat
    socat ping ping6 dig host nslookup traceroute tracepath mtr whois ftp lftp tftp nmap tcpdump tshark rclone mail sendmail ldapsearch
    gsutil glab vercel netlify wrangler fly flyctl heroku firebase`]: { network: "**" },
  rsync: {
    network: "**",
    "delete-below": "--delete*, --del",
    deletes: "--remove-source-files, --delete*, --del",
  },
  gh: { network: "**", destroys: "repo delete, release delete", publishes: "release create" },
  aws: {
    network: "**",
    destroys: "s3 rb, s3 rm, cloudformation delete-stack, ec2 terminate-instances",
  },
  gcloud: { network: "**", destroys: "projects delete" },
  az: { network: "**", destroys: "group delete" },
  "kubectl oc": { network: "**", destroys: "delete, drain" },
  helm: { network: "**", destroys: "uninstall" },
  "terraform tofu terragrunt": { network: "**", destroys: "destroy, apply -destroy" },
  "pulumi cdk": { network: "**", destroys: "destroy" },
  "docker podman nerdctl": {
    reads: `ps, images, logs, inspect, version, info, top, port, diff, events, stats, history, search, image ls, image list, container ls,
      image inspect, container inspect, volume ls, volume inspect, network ls, network inspect, context ls, system df, compose ps,
      compose logs, compose config, compose images, compose ls, compose version`,
    kills: "stop, kill, rm, restart, pause, compose down, compose stop, compose kill, compose rm",
    destroys: `system prune, system reset, volume rm, volume prune, compose down --volumes`,
    escalates: "*",
  },
  "docker-compose podman-compose": {
    reads: "ps, logs, config, images, ls, version",
    kills: "down, stop, kill, rm",
    destroys: "down --volumes",
    escalates: "*",
  },
  dropdb: { destroys: "**" },
  "mysqladmin mariadb-admin": { destroys: "drop", network: "**" },
  "redis-cli": { destroys: "flushall, FLUSHALL, flushdb, FLUSHDB" },
};

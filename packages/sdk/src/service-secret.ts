const SECRET = /^(BYLAW_(OPERATOR_TOKEN|JWT_SECRET|ENROL_SECRET)|ORCHESTRATOR_JWT_SECRET)$/i;

/** Whether an environment variable holds a secret of the service, with which an agent could act as anyone. */
export const isServiceSecret = (name: string): boolean => SECRET.test(name);

"""An agent that answers, looks, and votes: what each step came to as a line of JSON."""

import json

from bylaw_sdk import AgentClient

with AgentClient.from_environment() as client:
    client.claim_task(task_id="of-cem")

    def told(step, value):
        print(json.dumps([step, value]), flush=True)

    told("may", client.consensus.state()["you"]["may"])
    told("answer", client.consensus.answer("Sugar is sweet")["conclusion"])
    told("round", client.consensus.round())
    told("unseen", client.consensus.vote("agent1")["code"])
    shown = client.consensus.show()
    told("shown", sorted(shown["unseen"]))
    told("vote", client.consensus.vote("agent1", reason="it rhymes")["conclusion"])

"""The honest agent of agent.ts, in Python: the artifacts come as JSON on the command line."""

import json
import sys
import time

from bylaw_sdk import AgentClient, AgentError, Conflict, Retry, TransitionBlocked

HANDED = json.loads(sys.argv[1])


def enter(client, phase, artifacts):
    while True:
        try:
            client.request_transition(phase, artifacts)
            return
        except TransitionBlocked as blocked:
            if not blocked.pending:
                raise
            opened = client.approvals()
            if opened:
                client.wait_for_approval(opened[0]["id"])
            else:
                time.sleep(0.05)


def once(act, is_done):
    while True:
        try:
            act()
            return
        except Conflict:
            if is_done():
                return


with AgentClient.from_environment(retry=Retry(attempts=1000, base=0.02, cap=0.25, give_up=90.0)) as client:

    def text_of(path):
        try:
            return json.dumps(client.read_file(path))
        except AgentError:
            return ""

    def shows(command, text):
        return text in json.dumps(client.run_command(command))

    client.read_file("src/index.js")
    enter(client, "TDD", HANDED["plan"])
    once(lambda: client.write_file("tests/add.test.js", HANDED["tests_text"]), lambda: "refuses text" in text_of("tests/add.test.js"))
    enter(client, "IMPL", HANDED["tests"])
    for line in ("one", "two", "three"):
        once(
            lambda: client.write_file("src/journal.js", f"// {line}\n", mode="a"),
            lambda: line in text_of("src/journal.js"),
        )
    once(lambda: client.write_file("src/add.js", HANDED["code_text"]), lambda: "return one + other" in text_of("src/add.js"))
    enter(client, "REVIEW", HANDED["code"])
    while client.directives():
        time.sleep(0.05)
    enter(client, "COMPLETE", HANDED["review"])
    once(
        lambda: client.run_command("git add src/add.js src/journal.js tests/add.test.js"),
        lambda: shows("git status --short", "A  src/add.js"),
    )
    once(lambda: client.run_command("git commit -m 'Add two numbers'"), lambda: shows("git log -1 --format=%s", "Add two numbers"))
    client.complete_task(HANDED["done"])

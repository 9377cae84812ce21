"""Serve forecasts while events arrive, and use them with the Python client.

Run: python examples/live_service.py
"""

import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tlogic.serving import Client, ServiceError

EVENTS = Path(__file__).parent / "data" / "incidents.csv"
COMMAND = [sys.executable, "-m", "tlogic"]


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def wait_until_ready(client: Client) -> None:
    for _ in range(600):
        try:
            print(client.health().events, "events are served")
            return
        except ServiceError:
            time.sleep(0.5)
    raise SystemExit("The service did not start.")


with tempfile.TemporaryDirectory() as folder:
    store, port = Path(folder) / "events.db", free_port()
    subprocess.run([*COMMAND, "ingest", EVENTS, "--store", store], check=True)
    # Without --model or --rules, the service fits a model to the stored events.
    service = subprocess.Popen([*COMMAND, "serve", "--store", store, "--port", str(port), "--no-page"])
    try:
        with Client(f"http://127.0.0.1:{port}") as client:
            wait_until_ready(client)
            client.add([("Kofi", "deploys", "mailer", "2030-08-29")])
            forecast = client.forecast("mailer", "alerts", top=3)
            for candidate in forecast.candidates:
                print(candidate.rank, candidate.name, f"{candidate.probability:.0%}")
            reason = client.explain("mailer", "alerts", candidate=forecast.candidates[0].name).contributions[0]
            print(reason.sentence)
            for fact in reason.facts:
                print(fact.time, fact.subject, fact.relation, fact.object)
    finally:
        service.terminate()
        service.wait()

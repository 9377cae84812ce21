"""A real HTTP server that can be as bad as the networks of this world."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread


@dataclass
class Server:
    """What is served, and how badly."""

    files: dict[str, bytes]
    address: str = ""
    ranges: bool = True
    tells_length: bool = True
    chunked: bool = False
    cut_after: list[int] = field(default_factory=list)
    """After how many bytes the connection of each answer is cut; the last number holds for all later ones."""
    statuses: list[int] = field(default_factory=list)
    """Errors to answer with before anything else."""
    silences: list[float] = field(default_factory=list)
    """Seconds to be silent in the middle of the first answers, or until it is told to go on."""
    go_on: Event = field(default_factory=Event)
    wrong_range: str | None = None
    requests: list[tuple[str, str | None]] = field(default_factory=list)

    def next_cut(self) -> int | None:
        if len(self.cut_after) > 1:
            return self.cut_after.pop(0)
        return self.cut_after[0] if self.cut_after else None


@contextmanager
def serving(files: dict[str, bytes]) -> Iterator[Server]:
    """Serve files under their names until the end of the block."""
    server = Server(files)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            _answer(self, server)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        listening.daemon_threads = True
        server.address = f"http://127.0.0.1:{listening.server_port}"
        thread = Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        listening.shutdown()
        thread.join()


def _answer(request: BaseHTTPRequestHandler, server: Server) -> None:
    asked = request.headers.get("Range")
    server.requests.append((request.path, asked))
    content = server.files.get(request.path.removeprefix("/"))
    if server.statuses or content is None:
        request.send_error(server.statuses.pop(0) if server.statuses else 404)
        return
    start = int(asked.removeprefix("bytes=").removesuffix("-")) if asked and server.ranges else 0
    if start >= len(content) > 0:
        request.send_error(416)
        return
    body = content[start:]
    request.protocol_version = "HTTP/1.1" if server.chunked else "HTTP/1.0"
    request.send_response(206 if asked and server.ranges else 200)
    if asked and server.ranges:
        told = server.wrong_range or f"bytes {start}-{len(content) - 1}/{len(content)}"
        request.send_header("Content-Range", told)
    if server.chunked:
        request.send_header("Transfer-Encoding", "chunked")
        body = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
    elif server.tells_length:
        request.send_header("Content-Length", str(len(body)))
    request.end_headers()
    cut = server.next_cut()
    sent = body if cut is None else body[:cut]
    request.close_connection = True
    with suppress(ConnectionError):  # whoever asked may have gone away
        request.wfile.write(sent[: len(sent) // 2])
        if server.silences:
            server.go_on.wait(server.silences.pop(0))
        request.wfile.write(sent[len(sent) // 2 :])

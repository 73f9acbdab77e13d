# SPDX-License-Identifier: Apache-2.0
"""Starts the servers that the benchmarks of this folder compare, loads them, and reports ratios beside their limits."""

import contextlib
import ctypes
import json
import os
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.realpath(f"{os.path.dirname(__file__)}/../..")
sys.path.append(f"{ROOT}/Tests/Peers")
from ports import free_port

FOLDER = f"{ROOT}/Benchmarks/Served"
PASSWORD = "a horse walks into a library"
PATIENCE_SECONDS = 60
# What a test of load may do, and a client of the world may not: the largest values of the settings.
UNLIMITED = {
    "LATCH_REQUEST_LIMIT_PER_MINUTE": "10000000", "LATCH_TOKEN_LIMIT_PER_MINUTE": "10000000",
    "LATCH_REFRESH_LIMIT_PER_MINUTE": "10000000", "LATCH_LOGIN_LIMIT_PER_MINUTE": "1000000",
    "LATCH_SIGNUP_LIMIT_PER_HOUR": "1000000", "LATCH_MAXIMUM_CONNECTIONS": "20000",
    "LATCH_MAXIMUM_CONNECTIONS_PER_ADDRESS": "20000",
}
# Hashes of passwords that cost nothing, where sign-ins are not what is measured.
CHEAP_HASHES = {"argon2_memory_kib": 1024, "argon2_passes": 1}


def program(name):
    """The path of a program: built by Scripts/run-benchmarks, or the one that the variable of its name says."""
    path = os.environ.get(name.upper().replace("-", "_"), f"{ROOT}/.build/benchmarks/release/{name}")
    if not os.access(path, os.X_OK):
        sys.exit(f"bench: {path} is missing\nhint: Scripts/run-benchmarks builds it")
    return path


def needed(name):
    """The path of a program of the system, also from where Debian keeps servers."""
    found = shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin")
    if not found:
        sys.exit(f"bench: {name} is missing\nhint: Scripts/setup --bench")
    return found


def fetched(kind):
    """The folder of the peers that Scripts/fetch-peers installs."""
    return subprocess.check_output([f"{ROOT}/Scripts/fetch-peers", kind], text=True).split("\n")[-2]


class Process:
    """A program that ends with this one; its output is in files of `folder`."""

    def __init__(self, folder, *command, environment=None, reads_line=False):
        libc = ctypes.CDLL(None)
        self.log = tempfile.NamedTemporaryFile("w+", dir=folder, delete=False)
        self.process = subprocess.Popen(
            command, cwd=folder, env=os.environ | (environment or {}), stderr=self.log,
            stdout=subprocess.PIPE if reads_line else self.log, text=True,
            preexec_fn=lambda: libc.prctl(1, signal.SIGTERM))
        self.line = self.process.stdout.readline().strip() if reads_line else ""
        self.pid = self.process.pid

    def status(self, name):
        """A number of /proc/PID/status, such as VmRSS in KiB."""
        with open(f"/proc/{self.pid}/status", encoding="ascii") as file:
            return int(re.search(rf"^{name}:\s+(\d+)", file.read(), re.MULTILINE)[1])

    @property
    def resident_mib(self):
        return self.status("VmRSS") / 1024

    @property
    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    @property
    def seconds(self):
        """The processor time so far."""
        return processor_seconds(self.pid)

    def end(self, by=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(by)
            self.process.wait()


class Latch(Process):
    """`latch serve`, ready."""

    def __init__(self, folder, store, port=None, **settings):
        self.port = port or free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        environment = UNLIMITED | {f"LATCH_{name.upper()}": str(value) for name, value in settings.items()}
        super().__init__(
            folder, program("latch"), "serve", "--listen", f"127.0.0.1:{self.port}", "--store", store,
            environment=environment)
        until_ready(self, f"{self.url}/readyz")

    def metric(self, name):
        """The sum of a metric's values, which the machine itself may read."""
        with urllib.request.urlopen(f"{self.url}/metrics") as response:
            lines = re.findall(rf"^{name}(?:\{{[^}}]*\}})? (\S+)$", response.read().decode(), re.MULTILINE)
        return sum(float(line) for line in lines)

    def post(self, path, value):
        request = urllib.request.Request(
            self.url + path, json.dumps(value).encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as response:
            return json.load(response)

    def sign_up(self, count, first=0):
        """Creates accounts."""
        with ThreadPoolExecutor(16) as pool:
            list(pool.map(lambda n: self.post("/api/clients/register", credentials(n)), range(first, first + count)))

    def sign_in(self, count, first=0):
        """Signs accounts in and returns the responses with their tokens."""
        with ThreadPoolExecutor(16) as pool:
            return list(
                pool.map(lambda n: self.post("/api/auth/clients/login", credentials(n)), range(first, first + count)))


def credentials(number):
    return {"email": f"ada{number}@example.com", "password": PASSWORD}


def until_ready(server, url):
    limit = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except OSError:
            if server.process.poll() is not None or time.monotonic() > limit:
                with open(server.log.name, encoding="utf-8", errors="replace") as log:
                    sys.exit(f"bench: no answer from {url}: {log.read()[-2000:]}")
            time.sleep(0.05)


def until_listening(server, port):
    """Waits for a peer that speaks HTTP/2 alone."""
    limit = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=5).close()
            return
        except OSError:
            if server.process.poll() is not None or time.monotonic() > limit:
                sys.exit(f"bench: nothing listens on port {port}")
            time.sleep(0.05)


@contextlib.contextmanager
def workspace():
    """A folder and the processes within it, which both end with the block; the rest of the machine may read it."""
    folder = tempfile.mkdtemp(prefix="latch-bench-")
    os.chmod(folder, 0o755)
    ends = contextlib.ExitStack()
    try:
        yield folder, ends
    finally:
        ends.close()
        shutil.rmtree(folder, ignore_errors=True)


class Postgres(Process):
    """A PostgreSQL server of its own, durable as in production."""

    def __init__(self, folder, port=0):
        given = ["fsync=on", "synchronous_commit=on", "full_page_writes=on", "shared_buffers=256MB", "max_wal_size=2GB",
                 "max_connections=200"]
        super().__init__(
            folder, "python3", f"{ROOT}/Tests/Peers/Postgres/cluster", f"{folder}/postgres", "latch", "--port", str(port),
            *[part for one in given for part in ("--set", one)], reads_line=True)
        if not self.line:
            sys.exit("bench: PostgreSQL did not start\nhint: Scripts/setup --bench")
        self.url = f"postgres://latch:latch@127.0.0.1:{self.line}/postgres?sslmode=disable"

    def tool(self, name):
        """A program of the server's installation."""
        folders = sorted(os.listdir("/usr/lib/postgresql"), key=float) if os.path.isdir("/usr/lib/postgresql") else []
        path = f"/usr/lib/postgresql/{folders[-1]}/bin/{name}" if folders else ""
        return path if os.access(path, os.X_OK) else needed(name)

    @property
    def seconds(self):
        """The processor time of the server's processes, also of those that have ended."""
        return processor_seconds(self.pid, with_descendants=True)

    def query(self, sql):
        """The first value of a query."""
        return subprocess.check_output([self.tool("psql"), "-AtqX", self.url, "-c", sql], text=True).strip()

    @property
    def log_bytes(self):
        """The bytes that were written to the write-ahead log so far."""
        return int(self.query("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint"))


def processor_seconds(pid, with_descendants=False):
    """The processor time of a process; with its descendants, also those that were waited for."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            children = file.read().split() if with_descendants else []
    except FileNotFoundError:
        return 0
    ticks = sum(int(fields[column]) for column in (range(11, 15) if with_descendants else (11, 12)))
    return ticks / os.sysconf("SC_CLK_TCK") + sum(processor_seconds(child, True) for child in children)


def wrk(url, seconds, *options, connections=64, arguments=()):
    """Loads a URL; returns requests per second and milliseconds for 99 of 100. A failed request voids the run."""
    output = subprocess.check_output(
        [needed("wrk"), "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", *options, url, "--", *arguments],
        text=True)
    if re.search(r"Non-2xx|Socket errors", output):
        sys.exit(f"bench: requests failed: {output}")
    amount, unit = re.search(r"99%\s+([\d.]+)(us|ms|s|m)\b", output).groups()
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", output)[1])
    return rate, float(amount) * {"us": 1e-3, "ms": 1, "s": 1e3, "m": 6e4}[unit]


def h2load(url, seconds, *options, message_bytes=0):
    """Loads a URL by HTTP/2; returns requests per second. A failed request voids the run.

    So do calls without their messages, which h2load takes for successes: all frames have as many bytes as headers, a message and
    trailers need for each call, and those of data, in which h2load also counts the warm-up, as many as the messages.
    """
    output = subprocess.check_output(
        [needed("h2load"), f"-D{seconds}", "--warm-up-time=1", *options, url], text=True, stderr=subprocess.STDOUT)
    done = re.search(r"(\d+) succeeded, (\d+) failed, (\d+) errored, (\d+) timeout", output)
    if not done or int(done[1]) == 0 or any(int(done[n]) for n in (2, 3, 4)):
        sys.exit(f"bench: requests failed: {output}")
    frames, data = (int(re.search(rf"\((\d+)\) {name}", output)[1]) for name in ("total", "data"))
    # Of the calls that are under way when the warm-up ends, some bytes came before.
    if message_bytes and (frames < 0.98 * int(done[1]) * (3 * 9 + message_bytes) or data < int(done[1]) * message_bytes):
        sys.exit(f"bench: calls have no messages: {output}")
    return float(re.search(r"finished in [\d.]+m?s, ([\d.]+) req/s", output)[1])


def together(*calls):
    """Runs calls at the same time and returns their results."""
    with ThreadPoolExecutor(len(calls)) as pool:
        return [one.result() for one in [pool.submit(call) for call in calls]]


class Report:
    """Lines of measurements with their limits."""

    def __init__(self):
        self.missed = 0

    def ratio(self, name, ours, theirs, at_least, unit="/s"):
        """Reports the median ratio of alternating runs, with its spread."""
        ratios = [mine / peer for mine, peer in zip(ours, theirs)]
        value = statistics.median(ratios)
        figures = f"{statistics.median(ours):,.0f} : {statistics.median(theirs):,.0f}{unit}"
        spread = f"{min(ratios):.2f} to {max(ratios):.2f}"
        self._line(f"{name:44} {figures:>24}   {value:6.2f} ({spread})", f"≥ {at_least}", value >= at_least)

    def limit(self, name, value, unit="", at_least=None, at_most=None):
        limit = f"≥ {at_least:,}" if at_least is not None else f"≤ {at_most:,}"
        holds = value >= at_least if at_least is not None else value <= at_most
        self._line(f"{name:44} {value:>24,.1f} {unit:6}", limit, holds)

    def note(self, text):
        print(f"  {text}", flush=True)

    def _line(self, text, limit, holds):
        self.missed += not holds
        print(f"  {text}   limit {limit}  {'PASS' if holds else 'FAIL'}", flush=True)

    def finish(self):
        print("all limits hold" if self.missed == 0 else f"{self.missed} limits missed")
        sys.exit(1 if self.missed and "--check" in sys.argv else 0)


def option(name, default):
    """The number after an option of the command line."""
    return int(sys.argv[sys.argv.index(name) + 1]) if name in sys.argv else default


__all__ = [name for name in globals() if not name.startswith("_")]

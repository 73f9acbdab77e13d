# SPDX-License-Identifier: Apache-2.0
"""A cluster of Patroni: etcd, members with PostgreSQL, and HAProxy, which asks each member whether it is the primary."""

import contextlib
import http.client
import importlib.machinery
import importlib.util
import json
import os
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
_loader = importlib.machinery.SourceFileLoader("cluster", os.path.join(os.path.dirname(os.path.realpath(__file__)), "cluster"))
postgres = importlib.util.module_from_spec(importlib.util.spec_from_loader("cluster", _loader))
_loader.exec_module(postgres)

# A member without the key in etcd for so long is no primary; the numbers have to fit: pause + 2 × retry <= ttl.
TTL, PAUSE, RETRY = 20, 2, 5
START_SECONDS = 90


class Failed(Exception):
    """What went wrong, in words."""


def wait(what, seconds, condition):
    """Returns the first result that counts as true."""
    limit = time.monotonic() + seconds
    while not (result := condition()):
        if time.monotonic() > limit:
            raise Failed(f"{what}: not within {seconds} seconds")
        time.sleep(0.1)
    return result


def ask(port, path, method="GET", content=None, seconds=2):
    """The status and the answer of a server on loopback; (0, "") where it does not answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=seconds)
    try:
        connection.request(method, path, json.dumps(content) if content else None, {"Content-Type": "application/json"})
        response = connection.getresponse()
        return response.status, response.read().decode()
    except (OSError, http.client.HTTPException):
        return 0, ""
    finally:
        connection.close()


def send(number, processes):
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, number)


class Programs:
    """The processes of a run, which end with it."""

    def __init__(self, folder):
        self.folder, self.started = folder, []

    def start(self, name, command, as_owner=False, environment=None):
        with open(f"{self.folder}/{name}.log", "ab") as log:
            child = subprocess.Popen(
                command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment,
                # If this script is killed, they end as well.
                preexec_fn=lambda: postgres.ctypes.CDLL(None).prctl(postgres._PR_SET_PDEATHSIG, signal.SIGTERM),
                **(postgres.identity() if as_owner else {}))
        self.started.append(child)
        return child

    def log(self, name):
        with open(f"{self.folder}/{name}.log", encoding="utf-8", errors="replace") as file:
            return file.read()

    def end(self, child, seconds=20):
        if child.poll() is None:
            child.send_signal(signal.SIGCONT)
            child.terminate()
            try:
                child.wait(seconds)
            except subprocess.TimeoutExpired:
                child.kill()
        child.wait()
        return child.returncode

    def end_all(self):
        for child in reversed(self.started):
            self.end(child)


class Member:
    """A machine of the cluster: Patroni, and the PostgreSQL that it starts."""

    def __init__(self, programs, name, ports, etcd, password):
        self.programs, self.name, (self.port, self.rest) = programs, name, ports
        self.folder, self.process = f"{programs.folder}/{name}", None
        os.mkdir(self.folder)
        postgres.give(self.folder, 0o700)
        users = {name: {"username": name, "password": password} for name in ("superuser", "replication", "rewind")}
        users["superuser"]["username"] = "postgres"
        settings = {
            "scope": "latch", "name": name, "etcd3": {"host": f"127.0.0.1:{etcd}"},
            "restapi": {"listen": f"127.0.0.1:{self.rest}", "connect_address": f"127.0.0.1:{self.rest}"},
            "bootstrap": {
                "dcs": {
                    "ttl": TTL, "loop_wait": PAUSE, "retry_timeout": RETRY, "maximum_lag_on_failover": 1 << 20,
                    "synchronous_mode": True, "postgresql": {"use_pg_rewind": True, "use_slots": True},
                },
                "initdb": [{"encoding": "UTF8"}, {"locale": "C"}],
            },
            "postgresql": {
                "listen": f"127.0.0.1:{self.port}", "connect_address": f"127.0.0.1:{self.port}",
                "data_dir": f"{self.folder}/data", "bin_dir": postgres.programs(), "pgpass": f"{self.folder}/pgpass",
                "authentication": users,
                "pg_hba": [f"host {what} all 127.0.0.1/32 scram-sha-256" for what in ("all", "replication")],
                "parameters": {"unix_socket_directories": self.folder, "shared_buffers": "32MB", "max_connections": 100},
            },
        }
        with open(f"{self.folder}/patroni.yml", "w", encoding="utf-8") as file:
            # JSON is YAML.
            json.dump(settings, file)
        postgres.give(f"{self.folder}/patroni.yml", 0o600)

    def start(self):
        self.process = self.programs.start(self.name, ["patroni", f"{self.folder}/patroni.yml"], as_owner=True)

    def is_primary(self):
        return ask(self.rest, "/primary")[0] == 200

    def postmaster(self):
        with contextlib.suppress(FileNotFoundError), open(f"{self.folder}/data/postmaster.pid", encoding="utf-8") as file:
            return int(file.readline())
        return None

    def database_processes(self):
        """The server's process first: while it is stopped it starts no others."""
        first = self.postmaster()
        if first is None or not os.path.exists(f"/proc/{first}"):
            return []
        return [first, *children(first)]

    def processes(self, also_patroni=True):
        """All processes of the machine, or of its database; the servers' own ones come first, and start no others while they are stopped."""
        return [*([self.process.pid, *children(self.process.pid)] if also_patroni else []), *self.database_processes()]

    def freeze(self, also_patroni=True):
        """Stops them; nothing says goodbye to a client."""
        send(signal.SIGSTOP, self.processes(also_patroni))
        stopped = self.processes(also_patroni)
        send(signal.SIGSTOP, stopped)
        return stopped

    def thaw(self):
        send(signal.SIGCONT, self.processes())

    def kill(self, also_patroni=True):
        send(signal.SIGKILL, self.freeze(also_patroni))
        if also_patroni:
            self.process.wait()


def children(parent):
    """The ids of the processes that a process has started."""
    found = []
    for number in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError), open(f"/proc/{number}/stat", encoding="utf-8") as file:
            if int(file.read().rpartition(")")[2].split()[1]) == parent:
                found.append(int(number))
    return found


class Cluster:
    """Three members with one database, and the port at which HAProxy passes the primary on."""

    def __init__(self, folder, password):
        self.programs, self.password = Programs(folder), password
        self.etcd_port, peer, self.port, *ports = postgres.free_ports(9)
        self.etcd = self.programs.start("etcd", [
            "etcd", "--name", "latch", "--data-dir", f"{folder}/etcd", "--initial-cluster", f"latch=http://127.0.0.1:{peer}",
            *(f"--{kind}-client-urls=http://127.0.0.1:{self.etcd_port}" for kind in ("listen", "advertise")),
            f"--listen-peer-urls=http://127.0.0.1:{peer}", f"--initial-advertise-peer-urls=http://127.0.0.1:{peer}",
            "--logger=zap", "--log-level=error",
        ])
        wait("etcd", START_SECONDS, lambda: ask(self.etcd_port, "/health")[0] == 200)
        self.members = [
            Member(self.programs, name, ports[2 * index:2 * index + 2], self.etcd_port, password)
            for index, name in enumerate("abc")
        ]
        self.members[0].start()
        wait("the first member", START_SECONDS, self.members[0].is_primary)
        for member in self.members[1:]:
            member.start()
        self.start_proxy()
        self.wait_until_synchronous()
        self.run("postgres", f"CREATE ROLE latch LOGIN PASSWORD '{password}'", "CREATE DATABASE latch OWNER latch")

    def start_proxy(self):
        with open(f"{self.programs.folder}/haproxy.cfg", "w", encoding="utf-8") as file:
            # As in Patroni's documents.
            file.write(
                "global\n    maxconn 500\ndefaults\n    mode tcp\n    retries 2\n    timeout client 30m\n    timeout connect 4s\n"
                "    timeout server 30m\n    timeout check 5s\nlisten primary\n"
                f"    bind 127.0.0.1:{self.port}\n    option httpchk OPTIONS /primary\n    http-check expect status 200\n"
                "    default-server inter 3s fall 3 rise 2 on-marked-down shutdown-sessions\n"
                + "".join(f"    server {one.name} 127.0.0.1:{one.port} maxconn 100 check port {one.rest}\n" for one in self.members)
            )
        self.programs.start("haproxy", ["haproxy", "-db", "-f", f"{self.programs.folder}/haproxy.cfg"])

    def run(self, database, *statements):
        """Runs statements at the primary, as the database's superuser."""
        subprocess.run(
            [f"{postgres.programs()}/psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p", str(self.primary().port),
             "-U", "postgres", *(part for one in statements for part in ("-c", one)), database],
            check=True, cwd="/", stdout=subprocess.DEVNULL, env=os.environ | {"PGPASSWORD": self.password})

    def primary(self):
        """The member that says it is the primary; None while none does."""
        return next((one for one in self.members if one.is_primary()), None)

    def roles(self):
        """The members' roles by name, as one of them that answers sees them."""
        for member in self.members:
            status, text = ask(member.rest, "/cluster")
            if status == 200:
                return {
                    one["name"]: one["role"] if one["state"] in ("running", "streaming") else one["state"]
                    for one in json.loads(text)["members"]
                }
        return {}

    def wait_until_synchronous(self):
        """Waits until all members serve, and one of them has each commit before it is acknowledged."""
        wanted = ["leader", "replica", "sync_standby"]
        wait("a cluster with a synchronous standby", START_SECONDS, lambda: sorted(self.roles().values()) == wanted)

    def configure(self, content):
        member = next(one for one in self.members if ask(one.rest, "/patroni")[0])
        status, text = ask(member.rest, "/config", "PATCH", content)
        if status != 200:
            raise Failed(f"Patroni does not take {content}: {status} {text}")

    def switch_over(self):
        """Makes the synchronous standby the primary, as an administrator does before work at a machine."""
        old = self.primary()
        new = next(name for name, role in self.roles().items() if role == "sync_standby")
        status, text = ask(old.rest, "/switchover", "POST", {"leader": old.name, "candidate": new}, seconds=60)
        if status != 200:
            raise Failed(f"Patroni does not switch over: {status} {text}")

    def end(self):
        for member in self.members:
            if member.process:
                member.thaw()
        self.programs.end_all()
        for member in self.members:
            # Patroni that is killed leaves its database running.
            member.kill(also_patroni=False)

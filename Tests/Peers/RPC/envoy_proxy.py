# SPDX-License-Identifier: Apache-2.0
"""Envoy on a free port of 127.0.0.1 in front of a server there, for two minutes at most.

usage: envoy_proxy.py web|front PORT [tls=FOLDER]
web: gRPC-Web comes in, gRPC goes to the server.  front: HTTP/2 comes in, HTTP/1.1 with trailers goes to the server.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

import envoy

import keys

mode, backend = sys.argv[1], int(sys.argv[2])
TYPE = "type.googleapis.com/envoy.extensions"
filters = [{"name": "router", "typed_config": {"@type": f"{TYPE}.filters.http.router.v3.Router"}}]
if mode == "web":
    filters.insert(0, {"name": "web", "typed_config": {"@type": f"{TYPE}.filters.http.grpc_web.v3.GrpcWeb"}})
upstream = {"http2_protocol_options": {}} if mode == "web" else {"http_protocol_options": {"enable_trailers": True}}
manager = {
    "@type": f"{TYPE}.filters.network.http_connection_manager.v3.HttpConnectionManager",
    "stat_prefix": "in",
    "codec_type": "AUTO",
    "http_protocol_options": {"enable_trailers": True},
    "stream_idle_timeout": "60s",
    "route_config": {
        "virtual_hosts": [
            {
                "name": "all",
                "domains": ["*"],
                "routes": [{"match": {"prefix": "/"}, "route": {"cluster": "server", "timeout": "0s"}}],
            }
        ]
    },
    "http_filters": filters,
}


def address(port):
    return {"socket_address": {"address": "127.0.0.1", "port_value": port}}


chain = {"filters": [{"name": "http", "typed_config": manager}]}
if keys.folder:
    certificate = {
        "certificate_chain": {"filename": keys.path("server.pem")},
        "private_key": {"filename": keys.path("server.key")},
    }
    chain["transport_socket"] = {
        "name": "tls",
        "typed_config": {
            "@type": f"{TYPE}.transport_sockets.tls.v3.DownstreamTlsContext",
            "common_tls_context": {"tls_certificates": [certificate], "alpn_protocols": ["h2", "http/1.1"]},
        },
    }
config = {
    "admin": {"address": address(0)},
    "static_resources": {
        "listeners": [
            {
                "name": "in",
                "address": address(0),
                "filter_chains": [chain],
            }
        ],
        "clusters": [
            {
                "name": "server",
                "type": "STATIC",
                "connect_timeout": "5s",
                "load_assignment": {
                    "cluster_name": "server",
                    "endpoints": [{"lb_endpoints": [{"endpoint": {"address": address(backend)}}]}],
                },
                "typed_extension_protocol_options": {
                    "envoy.extensions.upstreams.http.v3.HttpProtocolOptions": {
                        "@type": f"{TYPE}.upstreams.http.v3.HttpProtocolOptions",
                        "explicit_http_config": upstream,
                    }
                },
            }
        ],
    },
}

folder = tempfile.mkdtemp(prefix="latch-envoy-")
admin = os.path.join(folder, "admin")
program = os.path.join(os.path.dirname(envoy.__file__), "_bin", "envoy")
process = subprocess.Popen(
    [
        program, "--config-yaml", json.dumps(config), "--admin-address-path", admin, "--log-level", "error",
        "--use-dynamic-base-id", "--base-id-path", os.path.join(folder, "base"), "--concurrency", "1",
    ]
)


signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
try:
    port = None
    for _ in range(600):
        try:
            with open(admin) as file:
                listeners = json.load(direct.open(f"http://{file.read().strip()}/listeners?format=json", timeout=5))
            port = listeners["listener_statuses"][0]["local_address"]["socket_address"]["port_value"]
            break
        except (OSError, KeyError, IndexError, ValueError):
            time.sleep(0.05)
    print(port, flush=True)
    for _ in range(1200):
        time.sleep(0.1)
        # Whoever started this has gone: then nobody wants it any more.
        if os.getppid() == 1 or process.poll() is not None:
            break
finally:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    process.kill()
    process.wait()
    shutil.rmtree(folder, ignore_errors=True)

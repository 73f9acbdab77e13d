#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A collector that decodes OTLP's JSON with OpenTelemetry's own messages (PyPI: opentelemetry-proto), against the server's.

usage: collector.py LATCH FOLDER

Starts the server, sends it requests as part of a trace, ends it, and checks what arrives: the spans of the requests, of the
store's calls in them and of requests to two identity providers, of which one is shown the trace, and the metrics.
"""
import base64
import http.server
import json
import os
import subprocess
import sys
import threading
import urllib.error
import urllib.request

from google.protobuf import json_format
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

spans, metrics, shown = [], {}, {}


def decoded(content, message):
    """The message of OTLP's JSON, which is that of protobuf but for the identifiers; an unknown name is an error."""
    def translated(value):
        if isinstance(value, list):
            return [translated(each) for each in value]
        if not isinstance(value, dict):
            return value
        return {
            name: base64.b64encode(bytes.fromhex(each)).decode() if name in ("traceId", "spanId", "parentSpanId")
            else translated(each) for name, each in value.items()}
    return json_format.ParseDict(translated(json.loads(content)), message)


class Collector(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        # The metadata of an identity provider; the collector plays both.
        shown[self.server.server_port] = self.headers["traceparent"]
        self.send_response(404)
        self.end_headers()

    def do_POST(self):
        content = self.rfile.read(int(self.headers["Content-Length"]))
        assert self.headers["Content-Type"] == "application/json"
        if self.path == "/v1/traces":
            message = decoded(content, ExportTraceServiceRequest())
            for resource in message.resource_spans:
                assert resource.resource.attributes[0].value.string_value == "latch"
                spans.extend(span for scope in resource.scope_spans for span in scope.spans)
        else:
            for resource in decoded(content, ExportMetricsServiceRequest()).resource_metrics:
                for scope in resource.scope_metrics:
                    metrics.update({metric.name: metric for metric in scope.metrics})
        self.send_response(200)
        self.end_headers()

    def log_message(self, *arguments):
        pass


latch, folder = sys.argv[1:]
server, provider, stranger = [http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector) for _ in range(3)]
for each in (server, provider, stranger):
    threading.Thread(target=each.serve_forever, daemon=True).start()
environment = dict(
    os.environ, OTEL_EXPORTER_OTLP_ENDPOINT=f"http://127.0.0.1:{server.server_port}", LATCH_ACCESS_LOG="off",
    LATCH_MAIL_DIRECTORY=os.path.join(folder, "mails"), LATCH_SIGN_IN_REDIRECTS="notes://auth/callback",
    LATCH_UPSTREAMS=" ".join(
        f"{name};client_id=ID;issuer=http://127.0.0.1:{each.server_port}"
        for name, each in (("staff", provider), ("others", stranger))),
    LATCH_UPSTREAM_SECRETS="staff=hunter2 others=hunter2",
    LATCH_TRACE_ORIGINS=f"http://127.0.0.1:{provider.server_port}")
process = subprocess.Popen(
    [latch, "serve", "--listen", "127.0.0.1:0", "--store", f"sqlite:{folder}/latch.sqlite"], env=environment,
    stdout=subprocess.PIPE, text=True)
url = process.stdout.readline().split()[-1]
trace, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
request = urllib.request.Request(
    url + "/api/clients/register", json.dumps({"email": "ada@example.com", "password": "a horse walks in"}).encode(),
    {"Content-Type": "application/json", "traceparent": f"00-{trace}-{parent}-01"})
assert urllib.request.urlopen(request, timeout=120).status == 201
for name in ("staff", "others"):
    path = f"/api/auth/{name}?redirect=notes%3A%2F%2Fauth%2Fcallback&code_challenge={'A' * 43}&code_challenge_method=S256"
    try:
        urllib.request.urlopen(urllib.request.Request(url + path, headers={"traceparent": f"00-{trace}-{parent}-01"}), timeout=120)
    except urllib.error.HTTPError as error:
        error.read()
exposed = urllib.request.urlopen(url + "/metrics", timeout=120).read().decode()
process.terminate()
assert process.wait(120) == 0
traced = [span for span in spans if span.trace_id.hex() == trace]
requests = [span for span in traced if span.parent_span_id.hex() == parent]
assert len(requests) == 3 and all(span.kind == 2 for span in requests), requests
own = [span for span in requests if span.name == "POST /api/clients/register"]
calls = [span for span in traced if span.parent_span_id == own[0].span_id]
assert calls, "no call of the store is a span"
for call in calls:
    named = {attribute.key: attribute.value.string_value for attribute in call.attributes}
    assert named == {"db.system.name": "sqlite", "db.operation.name": call.name.removeprefix("store ")}, call
    assert call.kind == 3 and own[0].start_time_unix_nano <= call.start_time_unix_nano <= call.end_time_unix_nano
outgoing = [span for span in traced if span.name == "GET" and span.kind == 3]
assert {span.parent_span_id for span in outgoing} <= {span.span_id for span in requests}, outgoing
assert len(shown) == 2 and len(outgoing) >= 2, (shown, outgoing)
assert shown[stranger.server_port] is None, shown
version, identifier, span, flags = shown[provider.server_port].split("-")
assert (version, identifier, flags) == ("00", trace, "01") and span in [each.span_id.hex() for each in outgoing], shown
assert own[0].name == "POST /api/clients/register" and own[0].kind == 2 and own[0].parent_span_id.hex() == parent
assert 0 < own[0].start_time_unix_nano <= own[0].end_time_unix_nano and own[0].flags == 1
attributes = {attribute.key: attribute.value for attribute in own[0].attributes}
assert attributes["http.response.status_code"].int_value == 201
counted = metrics["latch_requests_total"].sum
assert counted.is_monotonic and counted.aggregation_temporality == 2
assert {point.attributes[0].value.string_value: point.as_int for point in counted.data_points}["2xx"] == 2
for name, series in (("latch_request_seconds", 1), ("latch_store_seconds", 2)):
    assert metrics[name].unit == "s" and metrics[name].histogram.aggregation_temporality == 2
    points = metrics[name].histogram.data_points
    assert len(points) == series
    for point in points:
        assert 0 < point.count == sum(point.bucket_counts) and len(point.bucket_counts) == len(point.explicit_bounds) + 1
        assert point.sum > 0 and not point.exemplars
    assert f"# TYPE {name} histogram" in exposed and f"{name}_bucket" in exposed
assert metrics["latch_mails_waiting"].HasField("gauge")
assert metrics["latch_mails_waiting"].description == "Emails that wait to be sent, by any node."
# An identifier of random digits may have "ada" in it.
for secret in ("ada@", "horse", "hunter2"):
    assert secret not in str(spans), secret
print(f"collector: {len(spans)} spans and {len(metrics)} metrics are as OpenTelemetry's own messages read them")

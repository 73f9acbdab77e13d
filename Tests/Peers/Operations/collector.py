#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A collector that decodes OTLP with OpenTelemetry's own messages (PyPI: opentelemetry-proto), against the server's.

usage: collector.py LATCH FOLDER

Starts the server, sends it a request as part of a trace, ends it, and checks what arrives.
"""
import http.server
import json
import os
import subprocess
import sys
import threading
import urllib.request

from google.protobuf.unknown_fields import UnknownFieldSet
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

spans, metrics = [], {}


class Collector(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        content = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/v1/traces":
            message = ExportTraceServiceRequest.FromString(content)
            assert message.SerializeToString(deterministic=True) and not len(UnknownFieldSet(message))
            for resource in message.resource_spans:
                assert resource.resource.attributes[0].value.string_value == "latch"
                spans.extend(span for scope in resource.scope_spans for span in scope.spans)
        else:
            for resource in ExportMetricsServiceRequest.FromString(content).resource_metrics:
                for scope in resource.scope_metrics:
                    metrics.update({metric.name: metric for metric in scope.metrics})
        self.send_response(200)
        self.end_headers()

    def log_message(self, *arguments):
        pass


latch, folder = sys.argv[1:]
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
threading.Thread(target=server.serve_forever, daemon=True).start()
environment = dict(
    os.environ, OTEL_EXPORTER_OTLP_ENDPOINT=f"http://127.0.0.1:{server.server_port}", LATCH_ACCESS_LOG="off",
    LATCH_MAIL_DIRECTORY=os.path.join(folder, "mails"))
process = subprocess.Popen(
    [latch, "serve", "--listen", "127.0.0.1:0", "--store", f"sqlite:{folder}/latch.sqlite"], env=environment,
    stdout=subprocess.PIPE, text=True)
url = process.stdout.readline().split()[-1]
trace, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
request = urllib.request.Request(
    url + "/api/clients/register", json.dumps({"email": "ada@example.com", "password": "a horse walks in"}).encode(),
    {"Content-Type": "application/json", "traceparent": f"00-{trace}-{parent}-01"})
assert urllib.request.urlopen(request).status == 201
process.terminate()
assert process.wait() == 0
own = [span for span in spans if span.trace_id.hex() == trace]
assert len(own) == 1, spans
assert own[0].name == "POST /api/clients/register" and own[0].kind == 2 and own[0].parent_span_id.hex() == parent
assert 0 < own[0].start_time_unix_nano <= own[0].end_time_unix_nano and own[0].flags == 1
attributes = {attribute.key: attribute.value for attribute in own[0].attributes}
assert attributes["http.response.status_code"].int_value == 201
requests = metrics["latch_requests_total"].sum
assert requests.is_monotonic and requests.aggregation_temporality == 2
assert {point.attributes[0].value.string_value: point.as_int for point in requests.data_points}["2xx"] == 1
assert metrics["latch_mails_waiting"].HasField("gauge")
assert "ada" not in str(spans) and "horse" not in str(spans)
print(f"collector: {len(spans)} spans and {len(metrics)} metrics are as OpenTelemetry's own messages read them")

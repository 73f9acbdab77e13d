// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchServer
import LatchTesting
import Synchronization
import TestSupport
import Testing

@testable import LatchIdentity

/// A collector that answers as it is told, and decodes what it gets.
private final class Collector: Handler {
    private let answers: Mutex<[HTTPStatus]>
    private let received = Mutex<[HTTPRequest]>([])

    /// Creates a collector; once its answers are used up, it accepts everything.
    init(_ answers: [HTTPStatus] = []) { self.answers = Mutex(answers) }

    var requests: [HTTPRequest] { received.withLock { $0 } }

    func spans() throws -> [ReceivedSpan] {
        try requests.filter { $0.path == "/v1/traces" }.flatMap { try ReceivedSpan.all(in: $0.body.bytes) }
    }

    func metrics() throws -> [ReceivedMetric] {
        try requests.filter { $0.path == "/v1/metrics" }.flatMap { try ReceivedMetric.all(in: $0.body.bytes) }
    }

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        received.withLock { $0.append(request) }
        let status = answers.withLock { $0.isEmpty ? .ok : $0.removeFirst() }
        return HTTPResponse(status: status, fields: status == .ok ? [:] : [.retryAfter: "0"])
    }
}

private func configuration(
    _ environment: [String: String] = [:], ratio: String = "", parents: String = ""
) throws -> TelemetryConfiguration {
    try #require(
        try TelemetryConfiguration(
            endpoint: "http://collector.example:4318", headers: "x-key=hunter2", ratio: ratio,
            propagatingTo: "https://sso.example", parents: parents, service: "latch", environment: environment))
}

@Suite(.timeLimit(.minutes(1))) struct TelemetryExporterTests {
    private func request(_ path: String, _ fields: HTTPFields = [:]) -> HTTPRequest {
        HTTPRequest(scheme: "http", authority: "127.0.0.1:8080", path: path, fields: fields)
    }

    private func router() -> Router {
        var router = Router()
        router.get("/notes/{id}") { _ in HTTPResponse(status: .ok) }
        router.get("/fails") { _ -> HTTPResponse in throw HTTPError.timeout }
        return router
    }

    @Test(
        arguments: [
            ("-9223372036854775808", 0), ("-5", 0), ("3", 3), ("9223372036854775807", .max), ("x", 0), ("1e3", 0),
        ] as [(String, Int)])
    func `The exporter of traces accepts a possible number of rejected spans from a collector`(text: String, count: Int)
    {
        let content = Array(#"{"partialSuccess":{"rejectedSpans":"\#(text)"}}"#.utf8)
        expectEqual(TelemetryJSON.rejected(in: content), count)
    }

    @Test func `The exporter of traces sends spans with route and status, in the client's trace`() async throws {
        let collector = Collector()
        let exporter = TelemetryExporter(try configuration(), transport: collector)
        let handler = router().intercepted(by: [ServerSpanInterceptor(exporter)])
        let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        let fields: HTTPFields = ["traceparent": parent, "tracestate": "a=1", .authorization: "Bearer hunter3"]
        _ = try await handler.respond(to: request("/notes/quince?token=hunter4", fields))
        await #expect(throws: HTTPError.self) { try await handler.respond(to: request("/fails")) }
        await exporter.close()
        let spans = try collector.spans()
        try #require(spans.count == 2)
        #expect(spans[0].name == "GET /notes/{id}" && spans[0].kind == 2 && spans[0].traceState == "a=1")
        expectEqual(spans[0].traceID, "0af7651916cd43dd8448eb211c80319c")
        expectEqual(spans[0].parentID, "b7ad6b7169203331")
        expectNotEqual(spans[0].spanID, spans[0].parentID)
        #expect(spans[0].end >= spans[0].start && spans[0].start > 0)
        #expect(spans[0].status == nil && spans[1].status == 2 && spans[1].parentID.isEmpty)
        let attributes = spans[0].attributes
        expectEqual(attributes["http.route"], .text("/notes/{id}"))
        expectEqual(attributes["http.response.status_code"], .number(200))
        let bytes = String(decoding: collector.requests.flatMap(\.body.bytes), as: UTF8.self)
        for secret in ["quince", "hunter"] { #expect(!bytes.contains(secret)) }
        expectEqual(collector.requests[0].fields["x-key"], "hunter2")
        expectEqual(collector.requests[0].fields[.contentType], "application/json")
        expectEqual(exporter.statistics, .init(exported: 2))
    }

    @Test
    func `The exporter of traces counts what the collector rejects, and takes an answer of any form`() async throws {
        for (answer, rejected) in [
            (#"{"partialSuccess":{"rejectedSpans":"2","errorMessage":"full"}}"#, 2),
            (#"{"partialSuccess":{"rejectedSpans":1}}"#, 1), ("{}", 0), ("", 0), ("\u{A}\u{2}\u{8}\u{1}", 0),
        ] {
            let exporter = TelemetryExporter(
                try configuration(["OTEL_METRICS_EXPORTER": "none"]),
                transport: ClosureHandler { _ in HTTPResponse(status: .ok, body: HTTPBody(answer)) })
            let handler = router().intercepted(by: [ServerSpanInterceptor(exporter)])
            for _ in 0..<3 { _ = try await handler.respond(to: request("/notes/1")) }
            await exporter.close()
            expectEqual(exporter.statistics, .init(exported: 3 - rejected, failed: rejected), "\(answer)")
        }
    }

    @Test func `The exporter of traces records nothing that is not sampled`() async throws {
        let collector = Collector()
        let exporter = TelemetryExporter(try configuration(ratio: "0"), transport: collector)
        let handler = router().intercepted(by: [ServerSpanInterceptor(exporter)])
        _ = try await handler.respond(to: request("/notes/1"))
        let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"
        _ = try await handler.respond(to: request("/notes/1", ["traceparent": parent]))
        await exporter.close()
        #expect(collector.requests.isEmpty)
    }

    /// A sender of requests: its address, that of a trusted proxy in between, and whether it is in the configured networks.
    private static let senders: [(client: String?, proxy: String?, decides: Bool)] = [
        ("192.0.2.1", nil, false), ("10.1.2.3", nil, true), ("2001:db8::1", nil, false), (nil, nil, false),
        ("192.0.2.1", "10.0.0.1", true), ("10.1.2.3", "192.0.2.9", true), ("192.0.2.1", "192.0.2.9", false),
    ]

    @Test(arguments: senders, ["0", "1"])
    func `The exporter of traces leaves the decision to record only to configured networks`(
        sender: (client: String?, proxy: String?, decides: Bool), ratio: String
    ) async throws {
        let collector = Collector()
        let exporter = TelemetryExporter(
            try configuration(ratio: ratio, parents: "10.0.0.0/8 ::1"), transport: collector)
        let handler = router().intercepted(by: [ServerSpanInterceptor(exporter)])
        for flag in ["00", "01"] {
            let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-\(flag)"
            var request = request("/notes/1", ["traceparent": parent])
            request.context[RemoteAddress.self] = sender.client
            request.context[ProxyAddress.self] = sender.proxy
            _ = try await handler.respond(to: request)
        }
        await exporter.close()
        let spans = try collector.spans()
        expectEqual(spans.count, sender.decides ? 1 : ratio == "1" ? 2 : 0)
        // In the client's trace, whoever decides.
        #expect(
            spans.allSatisfy { $0.traceID == "0af7651916cd43dd8448eb211c80319c" && $0.flags == 1 })
    }

    @Test func `The exporter of traces drops and counts spans beyond its queue, and delays no request`() async throws {
        let collector = Collector()
        let exporter = TelemetryExporter(
            try configuration(["OTEL_BSP_MAX_QUEUE_SIZE": "10", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "4"]),
            transport: collector)
        let handler = router().intercepted(by: [ServerSpanInterceptor(exporter)])
        for _ in 0..<25 { _ = try await handler.respond(to: request("/notes/1")) }
        expectEqual(exporter.statistics, .init(dropped: 15))
        await exporter.close()
        #expect(try collector.spans().count == 10 && collector.requests.count == 3)
        expectEqual(exporter.statistics, .init(exported: 10, dropped: 15))
        expectEqual(exporter.samples.map(\.value), [.counter(10), .counter(15), .counter(0)])
    }

    @Test(arguments: [
        ([HTTPStatus.serviceUnavailable, .tooManyRequests, HTTPStatus(rawValue: 502)], 4, 1), ([.badRequest], 1, 0),
        ([.serviceUnavailable, .badRequest], 2, 0),
        (Array(repeating: .serviceUnavailable, count: 9), 5, 0),
    ])
    func `The exporter of traces repeats a request as the protocol says, a few times`(
        answers: [HTTPStatus], sent: Int, exported: Int
    )
        async throws
    {
        let collector = Collector(answers)
        let clock = WallClock(
            now: { noon },
            sleep: { time in
                // The pauses pass immediately, and the time limit of an attempt never does.
                guard time < .seconds(600) else { return try await untilCancelled() }
                try Task.checkCancellation()
                await Task.yield()
            })
        let exporter = TelemetryExporter(
            try configuration(["OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "1", "OTEL_EXPORTER_OTLP_TIMEOUT": "3600000"]),
            transport: collector, clock: clock)
        let handler = router().intercepted(by: [ServerSpanInterceptor(exporter)])
        _ = try await handler.respond(to: request("/notes/1"))
        exporter.run()
        try await eventually { exporter.statistics.exported + exporter.statistics.failed > 0 }
        expectEqual(exporter.statistics, .init(exported: exported, failed: 1 - exported))
        expectEqual(collector.requests.filter { $0.path == "/v1/traces" }.count, sent)
        await exporter.close()
    }

    @Test func `The exporter of traces reports once the loss and the return of the collector`() async throws {
        let (news, report) = AsyncStream.makeStream(of: String?.self)
        var instances: Set<TelemetrySpan.Value> = []
        for answers in [[HTTPStatus.badRequest, .badRequest], []] {
            let collector = Collector(answers)
            let exporter = TelemetryExporter(
                try configuration(["OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "1", "OTEL_METRICS_EXPORTER": "none"]),
                transport: collector
            ) { report.yield($1) }
            exporter.run()
            let handler = router().intercepted(by: [ServerSpanInterceptor(exporter)])
            for _ in 0..<4 { _ = try await handler.respond(to: request("/notes/1")) }
            try await eventually { exporter.statistics.exported + exporter.statistics.failed == 4 }
            await exporter.close()
            let attributes = try receivedResource(in: collector.requests[0].body.bytes)
            instances.insert(try #require(attributes["service.instance.id"]))
            expectEqual(attributes["service.version"], .text(packageVersion))
        }
        report.finish()
        let all = await news.reduce(into: []) { $0.append($1) }
        expectEqual(all, ["The collector responded with status 400.", nil])
        expectEqual(instances.count, 2)
    }

    @Test func `The exporter of traces sends waiting spans when its end has interrupted a request`() async throws {
        let collector = Collector()
        let (begun, continuation) = AsyncStream.makeStream(of: Void.self)
        let first = Mutex(true)
        let silent = ClosureHandler { request in
            let mustWait = first.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            guard mustWait else { return try await collector.respond(to: request) }
            continuation.yield()
            // Until the task is cancelled.
            for await _ in AsyncStream(Void.self, { _ in }) {}
            throw HTTPError.cancelled
        }
        let exporter = TelemetryExporter(
            try configuration(["OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "2", "OTEL_METRICS_EXPORTER": "none"]),
            transport: silent)
        exporter.run()
        let handler = router().intercepted(by: [ServerSpanInterceptor(exporter)])
        for _ in 0..<5 { _ = try await handler.respond(to: request("/notes/1")) }
        for await _ in begun { break }
        await exporter.close()
        try expectEqual(collector.spans().count, 5)
        expectEqual(exporter.statistics, TelemetryExporter.Statistics(exported: 5))
    }

    @Test func `The exporter of traces ends with the first request that fails, however much waits`() async throws {
        let collector = Collector(Array(repeating: .serviceUnavailable, count: 20))
        let exporter = TelemetryExporter(
            try configuration(["OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "2"]), transport: collector)
        exporter.measure { [] }
        let handler = router().intercepted(by: [ServerSpanInterceptor(exporter)])
        for _ in 0..<7 { _ = try await handler.respond(to: request("/notes/1")) }
        await exporter.close()
        expectEqual(collector.requests.map(\.path), ["/v1/traces"])
        expectEqual(exporter.statistics, TelemetryExporter.Statistics(failed: 7))
    }

    @Test func `The exporter of traces shows its trace only to configured origins`() async throws {
        let collector = Collector()
        let exporter = TelemetryExporter(try configuration(), transport: collector)
        let seen = Mutex<[String: String?]>([:])
        let outside = ClosureHandler { request in
            seen.withLock { $0[request.authority] = request.fields["traceparent"] }
            return HTTPResponse(status: HTTPStatus(rawValue: 502))
        }.intercepted(by: [ClientSpanInterceptor(exporter)])
        var router = Router()
        router.get("/") { _ in
            for host in ["sso.example", "other.example"] {
                _ = try await outside.respond(to: HTTPRequest(authority: host, path: "/token?code=hunter2"))
            }
            return HTTPResponse(status: .ok)
        }
        _ = try await router.intercepted(by: [ServerSpanInterceptor(exporter)]).respond(to: request("/"))
        await exporter.close()
        let spans = try collector.spans()
        try #require(spans.count == 3)
        let trace = spans[0].traceID
        expectEqual(seen.withLock { $0["sso.example"] }, "00-\(trace)-\(spans[0].spanID)-01")
        expectEqual(seen.withLock { $0["other.example"] }, .some(nil))
        for span in spans[..<2] {
            #expect(span.kind == 3 && span.parentID == spans[2].spanID && span.status == 2)
        }
    }
}

@Suite struct MetricsExporterTests {
    @Test
    func `The exporter of metrics sends the server's counters and gauges, and the server shows the exporter's`()
        async throws
    {
        let site = try await Site()
        let collector = Collector()
        let exporter = TelemetryExporter(try configuration(), transport: collector)
        site.identity.report(to: exporter)
        try await site.signUp()
        _ = try await site.logIn()
        await exporter.close()
        let metrics = try collector.metrics()
        let logins = try #require(metrics.first { $0.name == "latch_logins_total" })
        #expect(logins.kind == "sum" && logins.isMonotonic && logins.temporality == 2)
        let success = try #require(logins.points.first { $0.attributes.values.contains(.text("success")) })
        let start = try #require(success.start)
        #expect(success.number == 1 && start > 0 && success.time >= start)
        expectEqual(metrics.first { $0.name == "latch_mails_waiting" }?.kind, "gauge")
        expectEqual(metrics.map(\.unit).filter { !$0.isEmpty && $0 != "s" }, [])
        try await expectEqual(site.metric(#"latch_spans_total{result="exported"}"#), 0)
        await site.close()
    }
}

@Suite struct ExporterConfigurationTests {
    private func made(_ environment: [String: String]) throws -> TelemetryConfiguration? {
        try TelemetryConfiguration(service: "latch", environment: environment)
    }

    @Test(arguments: ["hunter2", "10.0.0.7/8", "10.0.0.0/8;::1"])
    func `The configuration of the exporter names the setting of invalid networks`(parents: String) {
        #expect(
            throws: IdentityError.invalidSetting(
                "trace_parents", "networks such as 127.0.0.1 10.0.0.0/8, without host bits")
        ) {
            try TelemetryConfiguration(
                endpoint: "http://127.0.0.1:4318", parents: parents, service: "latch", environment: [:])
        }
    }

    @Test func `The configuration of the exporter takes the standard variables`() throws {
        try expectNil(made([:]))
        let base = ["OTEL_EXPORTER_OTLP_ENDPOINT": "https://otel.example/base/"]
        try expectNil(made(base.merging(["OTEL_SDK_DISABLED": "true"]) { $1 }))
        let made = try #require(
            try made(
                base.merging([
                    "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "http://m.example:1/x", "OTEL_SERVICE_NAME": "login",
                    "OTEL_EXPORTER_OTLP_HEADERS": "api-key=a%20b, other = c",
                    "OTEL_RESOURCE_ATTRIBUTES": "service.name=no,deployment.environment=test",
                    "OTEL_TRACES_SAMPLER": "parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG": "0.25",
                ]) { $1 }))
        #expect(made.traces?.path == "/base/v1/traces" && made.traces?.origin.host == "otel.example")
        #expect(made.metrics?.path == "/x" && made.metrics?.origin.port == 1)
        #expect(made.fields["api-key"] == "a b" && made.fields["other"] == "c" && made.ratio == 0.25)
        expectEqual(made.resource.map(\.key), ["service.name", "deployment.environment"])
        expectEqual(made.resource[0].value, "login")
        #expect(!"\(made)".contains("a b"))
    }

    @Test(arguments: [
        ["OTEL_EXPORTER_OTLP_ENDPOINT": "hunter2"], ["OTEL_EXPORTER_OTLP_HEADERS": "hunter2"],
        ["OTEL_TRACES_SAMPLER": "hunter2"], ["OTEL_BSP_MAX_QUEUE_SIZE": "hunter2"],
        ["OTEL_TRACES_SAMPLER": "traceidratio", "OTEL_TRACES_SAMPLER_ARG": "2"],
    ])
    func `The configuration of the exporter names an invalid variable, and not its value`(environment: [String: String])
        throws
    {
        let base = ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"]
        let error = #expect(throws: IdentityError.self) { try made(base.merging(environment) { $1 }) }
        #expect(error?.message.contains("OTEL_") == true && error?.message.contains("hunter2") == false)
    }
}

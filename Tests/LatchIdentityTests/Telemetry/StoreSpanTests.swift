// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchServer
import LatchTesting
import Synchronization
import Testing

@testable import LatchIdentity

@Suite(.timeLimit(.minutes(1))) struct StoreSpanTests {
    /// A collector that keeps the content of what it gets.
    private final class Collector: Handler {
        private let received = Mutex<[(path: String, bytes: [UInt8])]>([])

        func respond(to request: HTTPRequest) async throws -> HTTPResponse {
            received.withLock { $0.append((request.path, request.body.bytes)) }
            return HTTPResponse(status: .ok)
        }

        func spans() throws -> [ReceivedSpan] {
            try received.withLock { $0 }.filter { $0.path == "/v1/traces" }
                .flatMap { try ReceivedSpan.all(in: $0.bytes) }
        }

        func metrics() throws -> [ReceivedMetric] {
            try received.withLock { $0 }.filter { $0.path == "/v1/metrics" }
                .flatMap { try ReceivedMetric.all(in: $0.bytes) }
        }
    }

    private func exporter(_ collector: Collector, ratio: String = "") throws -> TelemetryExporter {
        let configuration = try #require(
            try TelemetryConfiguration(
                endpoint: "http://127.0.0.1:4318", ratio: ratio, service: "latch", environment: [:]))
        return TelemetryExporter(configuration, transport: collector)
    }

    private func logIn(_ site: Site, _ exporter: TelemetryExporter) async throws -> HTTPResponse {
        let handler = site.identity.handler.intercepted(by: [ServerSpanInterceptor(exporter)])
        return try await handler.respond(
            to: HTTPRequest(
                method: .post, scheme: "http", authority: "127.0.0.1:8080", path: "/api/auth/clients/login",
                fields: [.contentType: "application/json"],
                body: HTTPBody(#"{"email":"ada@example.com","password":"canary hunter2"}"#)))
    }

    @Test
    func `Calls of the store are spans within that of their request, with the operation and without values`()
        async throws
    {
        let site = try await Site()
        let collector = Collector()
        let exporter = try exporter(collector)
        try await site.signUp()
        try await expectEqual(logIn(site, exporter).status, .unauthorized)
        await exporter.close()
        let spans = try collector.spans()
        let request = try #require(spans.first { $0.kind == 2 })
        let calls = spans.filter { $0.name.hasPrefix("store ") }
        try #require(!calls.isEmpty && calls.count == spans.count - 1)
        for call in calls {
            #expect(call.traceID == request.traceID && call.parentID == request.spanID && call.kind == 3)
            #expect(call.status == nil && call.start >= request.start)
            let attributes = call.attributes
            #expect(attributes["db.system.name"] == .text("sqlite") && attributes.count == 2)
            expectEqual(attributes["db.operation.name"], .text(String(call.name.dropFirst("store ".count))))
            // The name of a function of the store, and nothing that a client has sent.
            #expect(call.name.dropFirst("store ".count).allSatisfy { $0.isASCII && $0.isLetter })
        }
        expectEqual(Set(calls.map(\.spanID)).count, calls.count)
        #expect(!"\(spans)".contains("hunter2") && !"\(spans)".contains("ada@"))
        await site.close()
    }

    @Test
    func `Calls of the store are not spans if the request is not recorded, but are still durations`() async throws {
        let site = try await Site()
        let collector = Collector()
        let exporter = try exporter(collector, ratio: "0")
        site.identity.report(to: exporter)
        try await site.signUp()
        _ = try await logIn(site, exporter)
        let text = try await site.get("/metrics").text
        await exporter.close()
        #expect(try collector.spans().isEmpty)
        let durations = try #require(try collector.metrics().last { $0.name == "latch_store_seconds" })
        #expect(durations.kind == "histogram" && durations.unit == "s" && durations.temporality == 2)
        expectEqual(durations.points.count, 2)
        for point in durations.points {
            #expect((point.count ?? 0) > 0 && point.bucketCounts.reduce(0, +) == point.count)
            #expect(point.bucketCounts.count == point.explicitBounds.count + 1 && (point.sum ?? 0) > 0)
            expectEqual(point.explicitBounds, point.explicitBounds.sorted())
        }
        #expect(text.contains("# TYPE latch_store_seconds histogram\nlatch_store_seconds_bucket{effect=\"read\",le="))
        #expect(text.contains("\nlatch_store_seconds_count{effect=\"write\"} "))
        await site.close()
    }

    @Test
    func `Calls of the store that fail for the store's reasons are failed spans, and refusals are not`() async throws {
        let folder = try TemporaryFolder()
        let store = try IdentityStore(path: folder.file())
        let collector = Collector()
        let exporter = try exporter(collector)
        let calls = ClosureHandler { _ in
            for error in [IdentityError.storeBusy, .alreadyExists] {
                await #expect(throws: error) {
                    try await store.write { _ throws(IdentityError) -> Void in throw error }
                }
            }
            return HTTPResponse(status: .ok)
        }
        let request = HTTPRequest(scheme: "http", authority: "127.0.0.1:8080", path: "/")
        _ = try await calls.intercepted(by: [ServerSpanInterceptor(exporter)]).respond(to: request)
        await exporter.close()
        try expectEqual(collector.spans().map { $0.status == 2 }, [true, false, false])
        await store.close()
    }
}

@Suite struct HistogramTests {
    @Test func `A histogram of durations counts a duration in the first interval whose bound it does not exceed`() {
        var histogram = Histogram(bounds: [0.5, 1])
        for milliseconds in [0, 500, 750, 1000, 1250, 90_000] { histogram.add(.milliseconds(milliseconds)) }
        #expect(histogram.intervals == [2, 2, 2] && histogram.count == 6)
        expectEqual(histogram.seconds, 93.5)
        expectEqual(
            histogram.exposition("x_seconds", labels: ""),
            """
            x_seconds_bucket{le="0.5"} 2
            x_seconds_bucket{le="1.0"} 4
            x_seconds_bucket{le="+Inf"} 6
            x_seconds_sum 93.5
            x_seconds_count 6

            """)
        #expect(histogram.exposition("x", labels: #"a="b""#).hasPrefix(#"x_bucket{a="b",le="0.5"} 2"#))
    }

    @Test(arguments: [Histogram.ofRequests, .ofStoreCalls])
    func `A histogram of durations has ascending bounds that are printed as plain decimals`(histogram: Histogram) {
        expectEqual(histogram.bounds, Array(Set(histogram.bounds)).sorted())
        #expect(histogram.bounds.allSatisfy { !"\($0)".contains("e") })
    }
}

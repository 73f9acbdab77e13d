// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchHTTP
import Testing

@testable import LatchIdentity

@Suite struct MetricsTextTests {
    /// The lines of one metric.
    private static func lines(_ name: String, in text: String) -> [String] {
        text.split(separator: "\n").map(String.init).filter { line in
            [name, "# HELP \(name)", "# TYPE \(name)"].contains { line.hasPrefix($0 + " ") || line.hasPrefix($0 + "{") }
        }
    }

    @Test func `The text of the metrics has every series of a counter from the beginning, as 0`() {
        let text = MetricSample.exposition(of: Metrics().samples)
        expectEqual(
            Self.lines("latch_logins_total", in: text),
            [
                "# HELP latch_logins_total \(Metric.logins.help)", "# TYPE latch_logins_total counter",
                #"latch_logins_total{result="failure"} 0"#, #"latch_logins_total{result="incomplete"} 0"#,
                #"latch_logins_total{result="limited"} 0"#,
                #"latch_logins_total{result="success"} 0"#,
            ])
        expectEqual(Self.lines("latch_code_replays_total", in: text).last, "latch_code_replays_total 0")
        for event in Metric.events where event != .tokensIssued {
            expectEqual(Self.lines(event.name, in: text).count, 2 + max(event.values.count, 1), "\(event.name)")
        }
        expectEqual(
            Array(Self.lines("latch_tokens_issued_total", in: text).dropFirst(2)),
            [
                #"latch_tokens_issued_total{grant="authorization_code"} 0"#,
                #"latch_tokens_issued_total{grant="client_credentials"} 0"#,
                #"latch_tokens_issued_total{grant="guest"} 0"#,
                #"latch_tokens_issued_total{grant="passkey"} 0"#,
                #"latch_tokens_issued_total{grant="password"} 0"#,
                #"latch_tokens_issued_total{grant="refresh_token"} 0"#,
                #"latch_tokens_issued_total{grant="urn:ietf:params:oauth:grant-type:device_code"} 0"#,
                #"latch_tokens_issued_total{grant="urn:ietf:params:oauth:grant-type:jwt-bearer"} 0"#,
                #"latch_tokens_issued_total{grant="urn:ietf:params:oauth:grant-type:token-exchange"} 0"#,
            ])
        expectEqual(
            Array(Self.lines("latch_requests_total", in: text).dropFirst(2)),
            (1...5).map { #"latch_requests_total{status="\#($0)xx"} 0"# })
        let bounds = [
            "0.001", "0.0025", "0.005", "0.01", "0.025", "0.05", "0.1", "0.25", "0.5", "1.0", "2.5", "5.0", "10.0",
            "+Inf",
        ]
        expectEqual(
            Self.lines("latch_request_seconds_bucket", in: text),
            bounds.map { #"latch_request_seconds_bucket{le="\#($0)"} 0"# })
        #expect(text.hasSuffix("\nlatch_request_seconds_sum 0.0\nlatch_request_seconds_count 0\n"))
    }

    @Test func `A gauge that cannot be read is NaN in the metrics`() throws {
        let samples = [MetricSample(.mailsWaiting, .gauge(nil)), MetricSample(.tokenCacheEntries, .gauge(7))]
        expectEqual(
            MetricSample.exposition(of: samples),
            """
            # HELP latch_mails_waiting \(Metric.mailsWaiting.help)
            # TYPE latch_mails_waiting gauge
            latch_mails_waiting NaN
            # HELP latch_token_cache_entries \(Metric.tokenCacheEntries.help)
            # TYPE latch_token_cache_entries gauge
            latch_token_cache_entries 7

            """)
        let sent = try ReceivedMetric.all(
            in: TelemetryJSON.content(samples, since: .distantPast, at: .now, of: [("service.name", "latch")]))
        expectEqual(sent.map(\.name), ["latch_token_cache_entries"])
        expectEqual(sent.map(\.help), [Metric.tokenCacheEntries.help])
    }

    /// As `promtool check metrics` wants it.
    @Test func `Each metric has a description, and counters are declared as counters`() async throws {
        let site = try await Site()
        let text = try await site.get("/metrics").text
        let types = text.matches(of: /# HELP (\w+) [A-Z][^\\\n]*\.\n# TYPE (\w+) (\w+)\n/)
        #expect(types.count == text.matches(of: /# TYPE/).count && Set(types.map(\.1)).count == types.count)
        for type in types {
            #expect(type.1 == type.2 && type.1.hasSuffix("_total") == (type.3 == "counter"), "\(type.1)")
        }
        #expect(text.hasSuffix("\nlatch_build_info{version=\"\(packageVersion)\"} 1\n"))
        await site.close()
    }

    @Test func `The text of the metrics counts what many threads count`() async {
        let metrics = Metrics()
        await withTaskGroup { group in
            for _ in 0..<8 { group.addTask { for _ in 0..<500 { metrics.count(.accountsCreated) } } }
        }
        expectEqual(metrics.samples.first, MetricSample(.accountsCreated, .counter(4000)))
    }

    /// An exemplar (` # {trace_id="…"}`) would follow the value, and join a request to a trace.
    @Test func `Each line of the metrics ends with its value, even if requests have a trace`() async throws {
        let site = try await Site()
        try await site.signUp()
        _ = try await site.logIn()
        let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        try await expectEqual(site.send(.get, "/user/profile", fields: ["traceparent": trace]).status, 401)
        let text = try await site.get("/metrics").text
        #expect(text.contains("_bucket{") && !text.contains("0af7651916cd43dd8448eb211c80319c"))
        for line in text.split(separator: "\n") where !line.hasPrefix("# ") {
            #expect(!line.contains("#") && line.wholeMatch(of: /[a-z_]+(\{[^{}]*\})? [-+.0-9eInf]+/) != nil, "\(line)")
        }
        await site.close()
    }

    @Test func `The number of metrics does not grow with strangers' requests`() async throws {
        let site = try await Site()
        _ = try await site.logIn("first@example.com")
        let lines = try await site.get("/metrics").text.split(separator: "\n").count
        for number in 0..<30 {
            _ = try await site.logIn("user\(number)@example.com")
            _ = try await site.get("/nowhere/\(number)", bearer: "nonsense\(number)")
            _ = try await site.renew("lr1.\(number)")
        }
        try await expectEqual(site.get("/metrics").text.split(separator: "\n").count, lines)
        await site.close()
    }
}

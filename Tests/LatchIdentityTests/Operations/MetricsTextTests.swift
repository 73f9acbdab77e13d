// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import Testing

@testable import LatchIdentity

@Suite struct `The text of the metrics` {
    private static let fresh = """
        # TYPE latch_code_replays_total counter
        latch_code_replays_total 0
        # TYPE latch_families_revoked_total counter
        latch_families_revoked_total 0
        # TYPE latch_housekeeping_failures_total counter
        latch_housekeeping_failures_total 0
        # TYPE latch_key_refresh_failures_total counter
        latch_key_refresh_failures_total 0
        # TYPE latch_logins_total counter
        latch_logins_total{result="failure"} 0
        latch_logins_total{result="limited"} 0
        latch_logins_total{result="success"} 0
        # TYPE latch_mail_store_failures_total counter
        latch_mail_store_failures_total 0
        # TYPE latch_mails_total counter
        latch_mails_total{result="abandoned"} 0
        # TYPE latch_token_replays_total counter
        latch_token_replays_total{outcome="repeated"} 0
        latch_token_replays_total{outcome="revoked"} 0
        # TYPE latch_tokens_issued_total counter
        latch_tokens_issued_total{grant="authorization_code"} 0
        latch_tokens_issued_total{grant="password"} 0
        latch_tokens_issued_total{grant="refresh_token"} 0
        latch_tokens_issued_total{grant="urn:ietf:params:oauth:grant-type:device_code"} 0
        # TYPE latch_requests_total counter
        latch_requests_total{status="1xx"} 0
        latch_requests_total{status="2xx"} 0
        latch_requests_total{status="3xx"} 0
        latch_requests_total{status="4xx"} 0
        latch_requests_total{status="5xx"} 0
        # TYPE latch_request_seconds histogram
        latch_request_seconds_bucket{le="0.001"} 0
        latch_request_seconds_bucket{le="0.0025"} 0
        latch_request_seconds_bucket{le="0.005"} 0
        latch_request_seconds_bucket{le="0.01"} 0
        latch_request_seconds_bucket{le="0.025"} 0
        latch_request_seconds_bucket{le="0.05"} 0
        latch_request_seconds_bucket{le="0.1"} 0
        latch_request_seconds_bucket{le="0.25"} 0
        latch_request_seconds_bucket{le="0.5"} 0
        latch_request_seconds_bucket{le="1.0"} 0
        latch_request_seconds_bucket{le="2.5"} 0
        latch_request_seconds_bucket{le="5.0"} 0
        latch_request_seconds_bucket{le="10.0"} 0
        latch_request_seconds_bucket{le="+Inf"} 0
        latch_request_seconds_sum 0.0
        latch_request_seconds_count 0

        """

    @Test func `has every counter that a script looks for from the beginning, as 0`() {
        #expect(Metrics().exposition(gauges: [:]) == Self.fresh)
    }

    @Test func `names the type of each metric once, before its values, and gauges at the end`() {
        let metrics = Metrics()
        metrics.count("latch_a_total", ["x": "2"])
        metrics.count("latch_a_total", ["x": "1", "y": "z"], by: 41)
        metrics.count("latch_a_total", ["x": "1", "y": "z"])
        let text = metrics.exposition(gauges: ["latch_g": 7, "latch_b": -1])
        #expect(
            text == """
                # TYPE latch_a_total counter
                latch_a_total{x="1",y="z"} 42
                latch_a_total{x="2"} 1

                """ + Self.fresh + """
                    # TYPE latch_g gauge
                    latch_g 7
                    # TYPE latch_b gauge
                    latch_b -1

                    """)
    }

    @Test func `counts what many threads count`() async {
        let metrics = Metrics()
        await withTaskGroup { group in
            for _ in 0..<8 { group.addTask { for _ in 0..<500 { metrics.count("latch_a_total") } } }
        }
        #expect(metrics.exposition(gauges: [:]).hasPrefix("# TYPE latch_a_total counter\nlatch_a_total 4000\n"))
    }

    /// An exemplar (` # {trace_id="…"}`) would follow the value, and join a request to a trace.
    @Test func `ends each line with its value, also where requests have a trace`() async throws {
        let site = try await Site()
        try await site.signUp()
        _ = try await site.logIn()
        let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        #expect(try await site.send(.get, "/user/profile", fields: ["traceparent": trace]).status == 401)
        let text = try await site.get("/metrics").text
        #expect(text.contains("_bucket{") && !text.contains("0af7651916cd43dd8448eb211c80319c"))
        for line in text.split(separator: "\n") where !line.hasPrefix("# TYPE ") {
            #expect(!line.contains("#") && line.wholeMatch(of: /[a-z_]+(\{[^{}]*\})? [-+.0-9eInf]+/) != nil, "\(line)")
        }
        await site.close()
    }

    @Test func `does not grow with what strangers send`() async throws {
        let site = try await Site()
        _ = try await site.logIn("first@example.com")
        let lines = try await site.get("/metrics").text.split(separator: "\n").count
        for number in 0..<30 {
            _ = try await site.logIn("user\(number)@example.com")
            _ = try await site.get("/nowhere/\(number)", bearer: "nonsense\(number)")
            _ = try await site.renew("lr1.\(number)")
        }
        #expect(try await site.get("/metrics").text.split(separator: "\n").count == lines)
        await site.close()
    }
}

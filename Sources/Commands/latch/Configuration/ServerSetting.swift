// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchIdentity
import LatchServer

/// The settings for sockets, files and logs; `IdentitySetting` has those of the auth server.
enum ServerSetting {
    /// All settings, in the order in which they are printed.
    ///
    /// None of them changes while the server runs.
    static let all = [
        Setting("listen", "127.0.0.1:8080", "the address to listen on, HOST:PORT; port 0 takes any free one") {
            _ = try ListenAddress($0)
        },
        Setting(
            "store", "sqlite:latch.sqlite", "the account store, sqlite:PATH or postgres://USER@HOST/DATABASE",
            isCredential: true
        ) { _ = try StoreLocation($0) },
        Setting("store_key_file", "", "a file with the store_key") { _ in },
        Setting("tls_certificate", "", "a PEM file with the certificate chain; serves https") { _ in },
        Setting("tls_key", "", "a PEM file with the certificate's private key") { _ in },
        number("maximum_connections", 10_000, 1...1_000_000, "concurrent connections"),
        number("maximum_connections_per_address", 2000, 1...1_000_000, "concurrent connections from one address"),
        number("maximum_body_bytes", 1_048_576, 1024...1_073_741_824, "bytes of a request's content"),
        number("maximum_call_bytes", 4_194_304, 1024...4_194_304, "bytes of a request to the user service"),
        number("shutdown_grace", 10, 0...3600, "seconds for requests to finish at shutdown"),
        number("drain_delay", 0, 0...300, "seconds before that in which /readyz is 503 and requests are served"),
        number("keep_alive", 75, 1...3600, "seconds without a request after which a connection ends"),
        number("event_loops", 0, 0...1024, "threads that serve connections; 0 takes one per processor core"),
        Setting(
            "trusted_proxies", "", "networks of proxies whose client addresses are trusted, such as 10.0.0.0/8 ::1"
        ) { _ = try TrustedProxies($0) },
        Setting("forwarded_field", "x-forwarded-for", "their header field: x-forwarded-for, or forwarded (RFC 7239)") {
            _ = try TrustedProxies.Field($0)
        },
        Setting("access_log", "text", "the form of the log: text, json, logfmt, or off, which has no requests") {
            _ = try AccessLogFormat($0)
        },
        number(
            "slow_request_ms", 1000, 0...3_600_000, "milliseconds from which a request is logged as slow; 0 for none"),
        number(
            "slow_query_ms", 500, 0...3_600_000,
            "milliseconds from which a statement of the store is logged; 0 for none"),
        Setting("otlp_endpoint", "", "the OpenTelemetry collector of traces and metrics, such as http://127.0.0.1:4318")
        {
            _ = try TelemetryConfiguration(endpoint: $0, service: "latch", environment: [:])
        },
        Setting("otlp_headers", "", "fields of requests to it, NAME=VALUE separated by commas", isSecret: true) {
            _ = try TelemetryConfiguration(
                endpoint: "http://127.0.0.1:4318", headers: $0, service: "latch", environment: [:])
        },
        Setting("trace_ratio", "1.0", "the fraction of traces that are recorded, from 0 to 1") {
            _ = try TelemetryConfiguration(
                endpoint: "http://127.0.0.1:4318", ratio: $0, service: "latch", environment: [:])
        },
        Setting("trace_origins", "", "origins of other services that get the traceparent of requests to them") {
            _ = try TelemetryConfiguration(
                endpoint: "http://127.0.0.1:4318", propagatingTo: $0, service: "latch", environment: [:])
        },
        Setting(
            "trace_parents", "",
            "networks of clients and proxies whose traceparent decides what is recorded, such as 10.0.0.0/8"
        ) {
            _ = try TelemetryConfiguration(
                endpoint: "http://127.0.0.1:4318", parents: $0, service: "latch", environment: [:])
        },
    ]

    /// Creates a setting for a whole number within bounds.
    private static func number(
        _ key: String, _ standard: Int, _ range: ClosedRange<Int>, _ summary: String
    ) -> Setting {
        Setting(key, String(standard), summary) { text in
            guard let number = Int(text), range.contains(number) else {
                throw CommandError.failed(
                    "The setting '\(key)' must be a whole number from \(range.lowerBound) to \(range.upperBound).")
            }
        }
    }
}

extension TrustedProxies {
    /// Parses networks, separated by spaces or commas.
    ///
    /// - Throws: `CommandError.failed`, which names the invalid network.
    init(_ text: String, field: Field = .xForwardedFor) throws(CommandError) {
        let ranges = try NetworkRange.ranges(in: text) { word in
            CommandError.failed(
                "The setting 'trusted_proxies' holds '\(word.printable)', which is not a network.",
                hint: "Write addresses and networks, such as 127.0.0.1 10.0.0.0/8 2001:db8::/32, without host bits.")
        }
        self.init(ranges, field: field)
    }
}

extension TrustedProxies.Field {
    /// Parses the name of a field.
    ///
    /// - Throws: `CommandError.failed`.
    init(_ text: String) throws(CommandError) {
        guard let field = Self(rawValue: text.lowercased()) else {
            throw .failed(
                "The setting 'forwarded_field' must be x-forwarded-for or forwarded.",
                hint: "Name the one that your proxy writes; the other one is the client's to write.")
        }
        self = field
    }
}

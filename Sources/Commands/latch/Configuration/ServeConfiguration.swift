// SPDX-License-Identifier: Apache-2.0

import LatchHTTP
import LatchIdentity
import LatchRPC
import LatchServer

/// The configuration of `latch serve`; every value has a safe default.
struct ServeConfiguration: Sendable {
    /// The address to listen on; by default on loopback, so that a trial server is not open to the network.
    var listen = ListenAddress(host: "127.0.0.1", port: 8080)
    var store = StoreLocation.standard
    /// The path of a file with the store key.
    var storeKeyFile: String?
    /// The path of a PEM file with the certificate chain.
    var tlsCertificate: String?
    /// The path of a PEM file with the private key.
    var tlsKey: String?
    /// The path of a PEM file with the authorities of OAuth clients.
    var clientAuthorities: String?
    /// The header field of trusted proxies with the certificate of their client.
    var certificateField: HTTPFieldName = "Client-Cert"
    /// The limits of the HTTP server; its address, its certificate and its threads are separate.
    var server = Server.Configuration()
    /// The maximum size of a call to the user service in bytes.
    var maximumCallBytes = RPCLimits.standard.messageBytes
    /// The time before the shutdown in which /readyz is 503 and requests are served.
    var drainDelay = Duration.zero
    /// The number of threads that serve connections; 0 for one per processor core.
    var eventLoops = 0
    /// The form of the log.
    var accessLog = AccessLogFormat.text
    /// The milliseconds from which a request is logged as slow; 0 for none.
    var slowRequestMilliseconds = 1000
    /// The milliseconds from which a statement of the store is logged; 0 for none.
    var slowQueryMilliseconds = 500
    var telemetry = Telemetry()
    var identity = IdentityConfiguration()

    /// The texts of the settings of telemetry; nil for what the variables of OpenTelemetry say.
    struct Telemetry: Sendable {
        var endpoint: String?
        var headers: String?
        var ratio: String?
        var origins: String?
        var parents: String?

        /// Returns the collector of traces and metrics; nil without one.
        ///
        /// - Throws: `IdentityError.invalidSetting`, also for a variable of OpenTelemetry.
        func configuration(_ variables: [String: String]) throws(IdentityError) -> TelemetryConfiguration? {
            try TelemetryConfiguration(
                endpoint: endpoint ?? "", headers: headers ?? "", ratio: ratio ?? "", propagatingTo: origins ?? "",
                parents: parents ?? "", service: "latch", environment: variables)
        }
    }
}

extension ServeConfiguration {
    /// All settings, in the order in which they are printed.
    static let settings = ownSettings + IdentityConfiguration.settings.map { Setting($0, within: \.identity) }

    /// The settings of sockets, files and logs, as opposed to those of the auth server.
    ///
    /// A setting is a property with its default, and a line here. None of these changes while the server runs.
    static let ownSettings: [Setting] = [
        .init("listen", \.listen, .listenAddress, "the address to listen on, HOST:PORT; port 0 takes any free one"),
        .init(
            "store", \.store, .store, "the account store, sqlite:PATH or postgres://USER@HOST/DATABASE",
            redact: StoreLocation.redacted),
        .init("store_key_file", \.storeKeyFile, .optional(.text), "a file with the store_key"),
        .init(
            "tls_certificate", \.tlsCertificate, .optional(.text),
            "a PEM file with the certificate chain; serves https"),
        .init("tls_key", \.tlsKey, .optional(.text), "a PEM file with the certificate's private key"),
        .init(
            "client_authorities_file", \.clientAuthorities, .optional(.text),
            "a PEM file with the authorities of OAuth clients that authenticate by tls_client_auth"),
        .init(
            "client_certificate_field", \.certificateField, .fieldName,
            "the header field with a client's certificate from trusted proxies: RFC 9440, or nginx's escaped PEM"),
        .init(
            "maximum_connections", \.server.maximumConnections, .number(1...1_000_000),
            "the maximum number of concurrent connections"),
        .init(
            "maximum_connections_per_address", \.server.maximumConnectionsPerAddress, .number(1...1_000_000),
            "the maximum number of concurrent connections from one address"),
        .init(
            "maximum_body_bytes", \.server.maximumBodyBytes, .number(1024...1_073_741_824),
            "the maximum size of a request's content in bytes"),
        .init(
            "maximum_call_bytes", \.maximumCallBytes, .number(1024...RPCLimits.standard.messageBytes),
            "the maximum size of a request to the user service in bytes"),
        .init("shutdown_grace", \.server.grace, .seconds(0...3600), "seconds for requests to finish at shutdown"),
        .init(
            "drain_delay", \.drainDelay, .seconds(0...300),
            "seconds to keep serving with /readyz at 503 before shutdown"),
        .init(
            "keep_alive", \.server.keepAliveTimeout, .seconds(1...3600),
            "seconds without a request after which a connection ends"),
        .init(
            "event_loops", \.eventLoops, .number(0...1024),
            "threads that serve connections; 0 takes one per processor core"),
        .init(
            "trusted_proxies", \.server.trustedProxies.ranges, .networks,
            "networks of proxies whose client addresses are trusted, such as 10.0.0.0/8 ::1"),
        .init(
            "forwarded_field", \.server.trustedProxies.field, .forwardedField,
            "the header field with the client's address from trusted proxies: x-forwarded-for, or forwarded (RFC 7239)"),
        .init(
            "access_log", \.accessLog, .accessLog,
            "the form of the log: text, json or logfmt; off logs no requests"),
        .init(
            "slow_request_ms", \.slowRequestMilliseconds, .number(0...3_600_000),
            "milliseconds from which a request is logged as slow; 0 for none"),
        .init(
            "slow_query_ms", \.slowQueryMilliseconds, .number(0...3_600_000),
            "milliseconds from which a statement of the store is logged; 0 for none"),
        .init(
            "otlp_endpoint", \.telemetry.endpoint, .telemetry { Telemetry(endpoint: $0) },
            "the OpenTelemetry collector of traces and metrics, such as http://127.0.0.1:4318"),
        .init(
            "otlp_headers", \.telemetry.headers, .telemetry { Telemetry(endpoint: anyCollector, headers: $0) },
            "header fields for the OpenTelemetry collector, NAME=VALUE separated by commas", isSecret: true),
        .init(
            "trace_ratio", \.telemetry.ratio,
            .telemetry(shownAs: "1.0") { Telemetry(endpoint: anyCollector, ratio: $0) },
            "the fraction of traces that are recorded, from 0 to 1"),
        .init(
            "trace_origins", \.telemetry.origins, .telemetry { Telemetry(endpoint: anyCollector, origins: $0) },
            "origins of other services to which requests carry a traceparent"),
        .init(
            "trace_parents", \.telemetry.parents, .telemetry { Telemetry(endpoint: anyCollector, parents: $0) },
            "networks of clients and proxies whose traceparent decides what is recorded, such as 10.0.0.0/8"),
    ]

    /// A collector with which the other settings of telemetry are checked.
    private static let anyCollector = "http://127.0.0.1:4318"
}

// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchHTTP
import LatchIdentityAccounts
package import LatchIdentityStorage
import LatchServer

/// The collector of traces and metrics, and the limits of the queue for it.
///
/// The standard variables of OpenTelemetry apply; the server's own settings override them.
package struct TelemetryConfiguration: Sendable {
    /// The URL for a signal, and the fields of requests to it.
    struct Target: Sendable {
        let origin: HTTPOrigin
        let path: String
    }

    /// The target of spans; nil exports none.
    let traces: Target?
    /// The target of metrics; nil exports none.
    let metrics: Target?
    /// The fields of every request, which often hold a secret of the collector.
    let fields: HTTPFields
    /// The attributes of the program, `service.name` first.
    let resource: [(key: String, value: String)]
    /// The fraction of traces that are recorded, from 0 to 1, unless a client in `parents` has decided.
    let ratio: Double
    /// The networks of clients and proxies whose `traceparent` decides whether a request is recorded; none by default.
    let parents: TrustedProxies
    /// The origins of other services that receive the `traceparent` of our requests; none by default.
    let propagatedOrigins: Set<HTTPOrigin>
    /// The maximum number of waiting spans.
    var maximumQueue = 2048
    /// The maximum number of spans in a request.
    var maximumBatch = 512
    /// The maximum time that a span waits for others.
    var delay = Duration.seconds(5)
    /// The interval between exports of the metrics.
    var metricInterval = Duration.seconds(60)
    /// The time limit of a request.
    var timeout = Duration.seconds(10)

    /// Creates a configuration from the server's settings and the environment; nil without a collector.
    ///
    /// - Parameters:
    ///   - endpoint: The collector's base URL; if empty, that of the environment.
    ///   - headers: Fields as in `OTEL_EXPORTER_OTLP_HEADERS`; if empty, those of the environment.
    /// - Throws: `IdentityError.invalidSetting`, which names the setting or variable, and never its value.
    package init?(
        endpoint: String = "", headers: String = "", ratio: String = "", propagatingTo origins: String = "",
        parents: String = "", service: String, environment: [String: String]
    ) throws(IdentityError) {
        guard environment["OTEL_SDK_DISABLED"]?.lowercasedASCII() != "true" else { return nil }
        let given = { (name: String) in environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        func target(_ signal: String, path: String) throws(IdentityError) -> Target? {
            guard given("OTEL_\(signal)_EXPORTER") != "none" else { return nil }
            // The base URL gets the signal's path; the signal's own URL is used unchanged.
            if endpoint.isEmpty, let own = given("OTEL_EXPORTER_OTLP_\(signal)_ENDPOINT") {
                return try Self.target(own, "OTEL_EXPORTER_OTLP_\(signal)_ENDPOINT", path: "")
            }
            let base = endpoint.isEmpty ? given("OTEL_EXPORTER_OTLP_ENDPOINT") : endpoint
            let name = endpoint.isEmpty ? "OTEL_EXPORTER_OTLP_ENDPOINT" : "otlp_endpoint"
            return try base.map { base throws(IdentityError) in try Self.target(base, name, path: path) }
        }
        traces = try target("TRACES", path: "/v1/traces")
        metrics = try target("METRICS", path: "/v1/metrics")
        guard traces != nil || metrics != nil else { return nil }
        let name = headers.isEmpty ? "OTEL_EXPORTER_OTLP_HEADERS" : "otlp_headers"
        var fields: HTTPFields = [:]
        for (key, value) in try Self.pairs(headers.isEmpty ? given(name) ?? "" : headers, name) {
            fields[HTTPFieldName(key)] = value
        }
        fields[.contentType] = "application/json"
        self.fields = fields
        var resource = [("service.name", given("OTEL_SERVICE_NAME") ?? service)]
        for (key, value) in try Self.pairs(given("OTEL_RESOURCE_ATTRIBUTES") ?? "", "OTEL_RESOURCE_ATTRIBUTES")
        where key != "service.name" || given("OTEL_SERVICE_NAME") == nil {
            resource.removeAll { $0.0 == key }
            resource.append((key, value))
        }
        self.resource = resource.map { (key: $0.0, value: $0.1) }
        self.ratio = try Self.ratio(ratio, environment)
        propagatedOrigins = Set(try Self.origins(origins))
        self.parents = TrustedProxies(try Self.networks(parents))
        maximumQueue = try Self.number("OTEL_BSP_MAX_QUEUE_SIZE", environment) ?? maximumQueue
        maximumBatch = min(try Self.number("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", environment) ?? maximumBatch, maximumQueue)
        delay = try Self.number("OTEL_BSP_SCHEDULE_DELAY", environment).map { .milliseconds($0) } ?? delay
        metricInterval =
            try Self.number("OTEL_METRIC_EXPORT_INTERVAL", environment).map { .milliseconds($0) } ?? metricInterval
        timeout = try Self.number("OTEL_EXPORTER_OTLP_TIMEOUT", environment).map { .milliseconds($0) } ?? timeout
    }

    private static let expectedPairs = "pairs such as name=value, separated by commas"

    private static func target(_ url: String, _ name: String, path: String) throws(IdentityError) -> Target {
        guard PublicURL.isValid(url) else { throw .invalidSetting(name, "a URL such as http://127.0.0.1:4318") }
        do throws(HTTPError) {
            let (origin, base) = try HTTPOrigin.split(url)
            return Target(origin: origin, path: path.isEmpty ? base : String(base.withoutFinalSlash) + path)
        } catch {
            throw .invalidSetting(name, "a URL such as http://127.0.0.1:4318")
        }
    }

    /// Parses pairs whose values may be percent-encoded (the W3C Baggage format without properties).
    private static func pairs(_ text: String, _ name: String) throws(IdentityError) -> [(String, String)] {
        var pairs: [(String, String)] = []
        for pair in text.utf8.split(separator: 0x2C) {
            guard let equals = pair.firstIndex(of: 0x3D) else { throw .invalidSetting(name, expectedPairs) }
            let key = String(decoding: pair[..<equals], as: UTF8.self).trimmingSpace()
            let value = PercentEncoding.decode(pair[pair.index(after: equals)...], plusIsSpace: false)
            // So neither a name nor a value can begin another field.
            guard String(key).isWord(maximum: 255, also: "-._"), value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
                throw .invalidSetting(name, expectedPairs)
            }
            pairs.append((String(key), String(String(decoding: value, as: UTF8.self).trimmingSpace())))
        }
        return pairs
    }

    /// Returns the fraction of recorded traces; the clients whose `traceparent` decides are a setting of the server.
    private static func ratio(_ text: String, _ environment: [String: String]) throws(IdentityError) -> Double {
        let sampler = environment["OTEL_TRACES_SAMPLER"] ?? ""
        var given = text
        if given.isEmpty {
            switch sampler {
            case "", "always_on", "parentbased_always_on": return 1
            case "always_off", "parentbased_always_off": return 0
            case "traceidratio", "parentbased_traceidratio": given = environment["OTEL_TRACES_SAMPLER_ARG"] ?? "1"
            default: throw .invalidSetting("OTEL_TRACES_SAMPLER", "a sampler such as parentbased_traceidratio")
            }
        }
        guard let ratio = Double(given), (0...1).contains(ratio) else {
            throw .invalidSetting(text.isEmpty ? "OTEL_TRACES_SAMPLER_ARG" : "trace_ratio", "a number from 0 to 1")
        }
        return ratio
    }

    private static func origins(_ text: String) throws(IdentityError) -> [HTTPOrigin] {
        var origins: [HTTPOrigin] = []
        for word in text.unicodeScalars.split(separator: " ").map({ String($0) }) {
            let flaw = IdentityError.invalidSetting("trace_origins", "origins such as https://sso.example.com")
            guard PublicURL.isOrigin(word) else { throw flaw }
            do throws(HTTPError) { origins.append(try HTTPOrigin.split(word).origin) } catch { throw flaw }
        }
        return origins
    }

    private static func networks(_ text: String) throws(IdentityError) -> [NetworkRange] {
        try NetworkRange.ranges(in: text) { _ in
            IdentityError.invalidSetting("trace_parents", "networks such as 127.0.0.1 10.0.0.0/8, without host bits")
        }
    }

    private static func number(_ name: String, _ environment: [String: String]) throws(IdentityError) -> Int? {
        guard let text = environment[name], !text.isEmpty else { return nil }
        guard let number = Int(text), (1...86_400_000).contains(number) else {
            throw .invalidSetting(name, "a whole number from 1 to 86400000")
        }
        return number
    }
}

extension TelemetryConfiguration: Redacting {
    package var description: String { "TelemetryConfiguration(\(resource.first?.value ?? ""))" }
}

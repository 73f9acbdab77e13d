// SPDX-License-Identifier: Apache-2.0

import IdentityTestSupport
import LatchCore
import Testing

@testable import LatchIdentity

/// A span as a collector reads it from OTLP's JSON.
struct ReceivedSpan {
    let traceID: String
    let spanID: String
    /// Empty for the first span of a trace.
    let parentID: String
    let traceState: String
    let name: String
    /// 1 is internal, 2 a server's, 3 a client's.
    let kind: Int
    let start: UInt64
    let end: UInt64
    let attributes: [String: TelemetrySpan.Value]
    /// 2 for an error; nil if it is not set.
    let status: Int?
    let flags: Int

    /// Reads the spans of an export.
    static func all(in content: [UInt8]) throws -> [ReceivedSpan] {
        try scopes(in: content, "resourceSpans", "scopeSpans").flatMap { scope in
            try #require(scope["spans"]?.arrayValue).map(ReceivedSpan.init)
        }
    }

    private init(_ json: JSONValue) throws {
        traceID = try #require(json["traceId"]?.stringValue)
        spanID = try #require(json["spanId"]?.stringValue)
        parentID = json["parentSpanId"]?.stringValue ?? ""
        traceState = json["traceState"]?.stringValue ?? ""
        name = try #require(json["name"]?.stringValue)
        kind = try #require(json["kind"]?.intValue)
        start = try number(json["startTimeUnixNano"])
        end = try number(json["endTimeUnixNano"])
        attributes = try receivedAttributes(json["attributes"])
        status = json["status"]?["code"]?.intValue
        flags = json["flags"]?.intValue ?? 0
        try #require(Hex.decode(traceID, count: 16) != nil && Hex.decode(spanID, count: 8) != nil)
    }
}

/// A metric as a collector reads it from OTLP's JSON.
struct ReceivedMetric {
    /// The value of one series.
    struct Point {
        let start: UInt64?
        let time: UInt64
        let number: UInt64?
        let count: UInt64?
        let sum: Double?
        let bucketCounts: [UInt64]
        let explicitBounds: [Double]
        let attributes: [String: TelemetrySpan.Value]
    }

    let name: String
    let help: String
    let unit: String
    /// `sum`, `gauge` or `histogram`.
    let kind: String
    let isMonotonic: Bool
    /// 2 is cumulative.
    let temporality: Int?
    let points: [Point]

    /// Reads the metrics of an export.
    static func all(in content: [UInt8]) throws -> [ReceivedMetric] {
        try scopes(in: content, "resourceMetrics", "scopeMetrics").flatMap { scope in
            try #require(scope["metrics"]?.arrayValue).map(ReceivedMetric.init)
        }
    }

    private init(_ json: JSONValue) throws {
        name = try #require(json["name"]?.stringValue)
        help = try #require(json["description"]?.stringValue)
        unit = json["unit"]?.stringValue ?? ""
        kind = try #require(["sum", "gauge", "histogram"].first { json[$0] != nil })
        let data = json[kind]
        isMonotonic = data?["isMonotonic"] == true
        temporality = data?["aggregationTemporality"]?.intValue
        points = try #require(data?["dataPoints"]?.arrayValue).map { point in
            Point(
                start: try point["startTimeUnixNano"].map { try number($0) }, time: try number(point["timeUnixNano"]),
                number: try point["asInt"].map { try number($0) }, count: try point["count"].map { try number($0) },
                sum: point["sum"]?.doubleValue,
                bucketCounts: try (point["bucketCounts"]?.arrayValue ?? []).map { try number($0) },
                explicitBounds: (point["explicitBounds"]?.arrayValue ?? []).compactMap(\.doubleValue),
                attributes: try receivedAttributes(point["attributes"]))
        }
    }
}

/// Reads the attributes of the program that has sent an export.
func receivedResource(in content: [UInt8]) throws -> [String: TelemetrySpan.Value] {
    let json = try JSONValue(parsing: content)
    return try receivedAttributes((json["resourceSpans"] ?? json["resourceMetrics"])?[0]?["resource"]?["attributes"])
}

private func scopes(in content: [UInt8], _ resources: String, _ scopes: String) throws -> [JSONValue] {
    let found = try #require(try JSONValue(parsing: content)[resources]?.arrayValue).flatMap {
        $0[scopes]?.arrayValue ?? []
    }
    try #require(found.allSatisfy { $0["scope"]?["name"] == "latchwork" })
    return found
}

/// A number of 64 bits, which is a text.
private func number(_ json: JSONValue?) throws -> UInt64 { try #require(json?.stringValue.flatMap { UInt64($0) }) }

private func receivedAttributes(_ json: JSONValue?) throws -> [String: TelemetrySpan.Value] {
    var found: [String: TelemetrySpan.Value] = [:]
    for attribute in try #require(json?.arrayValue) {
        let (key, value) = (try #require(attribute["key"]?.stringValue), attribute["value"])
        if let text = value?["stringValue"]?.stringValue {
            found[key] = .text(text)
        } else {
            found[key] = .number(Int(try number(value?["intValue"])))
        }
    }
    return found
}

// SPDX-License-Identifier: Apache-2.0

import LatchAccounts
import LatchCore
import LatchHTTP

/// The report of a worker about one round, or of several workers together; it crosses processes as a line of JSON.
struct RoundReport {
    /// The number of the round.
    var round = 0
    /// The number of requests that succeeded.
    var served = 0
    /// The failed requests by the code of their error.
    var failures: [String: Int] = [:]
    /// The text of the last error of each code.
    var messages: [String: String] = [:]
    /// The longest wait of a request, in milliseconds.
    var longest = 0

    /// The number of failed requests.
    var failed: Int { failures.values.reduce(0, +) }

    /// The failures for people, the most frequent first.
    var summary: String {
        let parts = failures.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.value) \($0.key)" }
        return parts.isEmpty ? "none" : parts.joined(separator: ", ")
    }

    /// Adds a request: its error, if it failed, and its wait.
    mutating func add(_ error: (any Error)?, after wait: Duration) {
        longest = max(longest, Int(wait / .milliseconds(1)))
        guard let error else {
            served += 1
            return
        }
        let code = Self.code(of: error)
        failures[code, default: 0] += 1
        messages[code] = (error as? any CodedError)?.message ?? "\(error)"
    }

    /// Adds the requests of another report.
    mutating func add(_ other: RoundReport) {
        round = max(round, other.round)
        served += other.served
        failures.merge(other.failures, uniquingKeysWith: +)
        messages.merge(other.messages) { $1 }
        longest = max(longest, other.longest)
    }

    /// Returns the stable code of an error; that of a response has its status.
    private static func code(of error: any Error) -> String {
        switch error {
        case let error as AccountError: error.status.map { "\(error.code) \($0.rawValue)" } ?? error.code
        case let error as any CodedError: error.code
        default: "\(type(of: error))"
        }
    }
}

extension RoundReport {
    /// The report as a line.
    var line: String {
        let counts = failures.map { (key: $0.key, value: JSONValue.integer(Int64($0.value))) }
        let texts = messages.map { (key: $0.key, value: JSONValue.string($0.value)) }
        let json: JSONObject = [
            "round": .integer(Int64(round)), "served": .integer(Int64(served)), "longest": .integer(Int64(longest)),
            "failures": .object(JSONObject(counts)), "messages": .object(JSONObject(texts)),
        ]
        return String(decoding: JSONValue.object(json).serialized(), as: UTF8.self)
    }

    /// Parses a line.
    ///
    /// - Throws: `JSONError` for anything else.
    init(parsing line: String) throws {
        let json = try JSONValue(parsing: line)
        self.init(
            round: json["round"]?.intValue ?? 0, served: json["served"]?.intValue ?? 0,
            longest: json["longest"]?.intValue ?? 0)
        for (code, count) in json["failures"]?.objectValue ?? [:] { failures[code] = count.intValue }
        for (code, text) in json["messages"]?.objectValue ?? [:] { messages[code] = text.stringValue }
    }
}

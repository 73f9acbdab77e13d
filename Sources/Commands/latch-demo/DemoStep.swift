// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// A behavior that must hold, and its check.
struct DemoStep: Sendable {
    /// The result of a step.
    struct Finding: Sendable {
        /// The finding in one line.
        let text: String
        /// The finding for a script.
        let facts: JSONObject

        init(_ text: String, _ facts: JSONObject = [:]) {
            self.text = text
            self.facts = facts
        }
    }

    /// The stable code of the step.
    let code: String
    /// The behavior, as a sentence.
    let name: String
    /// Runs the step; throws if the behavior does not hold.
    let play: @Sendable (inout DemoStage) async throws -> Finding
}

/// Steps under one title.
struct DemoChapter: Sendable {
    let title: String
    let steps: [DemoStep]

    init(_ title: String, _ steps: [DemoStep]) {
        self.title = title
        self.steps = steps
    }
}

/// A failed expectation of a step.
struct DemoFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Throws `DemoFailure` unless a condition holds.
func expect(_ holds: Bool, _ what: @autoclosure () -> String) throws(DemoFailure) {
    guard holds else { throw DemoFailure(what()) }
}

/// Returns a value, or throws `DemoFailure` if there is none.
func require<Value>(_ value: Value?, _ what: @autoclosure () -> String) throws(DemoFailure) -> Value {
    guard let value else { throw DemoFailure(what()) }
    return value
}

/// Returns the error that `body` must throw.
@discardableResult
func refusal(_ what: String, _ body: () async throws -> Void) async throws(DemoFailure) -> any Error {
    do {
        try await body()
    } catch {
        return error
    }
    throw DemoFailure("\(what) was not refused")
}

/// Throws unless `body` fails with an expected error.
func expect<Failure: CodedError>(
    _ expected: Failure, from what: String, _ body: () async throws -> Void
) async throws {
    let error = try await refusal(what, body)
    guard expected ~= error else { throw error }
}

/// Returns the value that `body` finds; repeats the call for at most half a minute until it finds one.
func wait<Value>(for what: String, _ body: () throws -> Value?) async throws -> Value {
    for _ in 0..<6000 {
        if let value = try body() { return value }
        try await WallClock.system.sleep(for: .milliseconds(5))
    }
    throw DemoFailure("\(what) within half a minute")
}

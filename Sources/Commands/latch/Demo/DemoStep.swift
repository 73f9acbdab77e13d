// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// One thing that must hold, and how it is found out.
struct DemoStep: Sendable {
    /// What a step saw.
    struct Finding: Sendable {
        /// The finding for a person, in one line.
        let text: String
        /// The finding for a script.
        let facts: JSONObject

        init(_ text: String, _ facts: JSONObject = [:]) {
            self.text = text
            self.facts = facts
        }
    }

    /// What a script knows the step by.
    let code: String
    /// The behaviour, as a sentence.
    let name: String
    /// Plays it; throws where it does not hold.
    let play: @Sendable (inout DemoStage) async throws -> Finding
}

/// A step that does not hold: what was expected.
struct DemoFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Ends the step where something does not hold.
func expect(_ holds: Bool, _ what: @autoclosure () -> String) throws(DemoFailure) {
    guard holds else { throw DemoFailure(what()) }
}

/// The error that `body` throws; not to throw one ends the step.
func refusal(_ what: String, _ body: () async throws -> Void) async throws(DemoFailure) -> any Error {
    do {
        try await body()
    } catch {
        return error
    }
    throw DemoFailure("\(what) was not refused")
}

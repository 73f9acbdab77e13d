// SPDX-License-Identifier: Apache-2.0

import Foundation
package import LatchCore
package import LatchHTTP
package import LatchIdentity
import LatchServer
import Synchronization

/// A program of the operator that a server asks: it answers as a test says, and keeps the requests.
package final class HookProgram: Handler {
    package typealias Answer = @Sendable (JSONObject) throws -> HTTPResponse

    private let state: Mutex<(requests: [HTTPRequest], answer: Answer)>

    package init(_ answer: @escaping Answer = { _ in HTTPResponse(status: .noContent) }) {
        state = Mutex(([], answer))
    }

    /// Answers with JSON.
    package convenience init(answering json: JSONValue) { self.init { _ in .json(json) } }

    package func answer(_ answer: @escaping Answer) { state.withLock { $0.answer = answer } }

    package var requests: [HTTPRequest] { state.withLock { $0.requests } }

    /// The messages, in the order of their arrival.
    package var messages: [JSONObject] {
        requests.compactMap { try? JSONValue(parsing: $0.body.bytes).objectValue }
    }

    package func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let answer = state.withLock { state in
            state.requests.append(request)
            return state.answer
        }
        return try answer(try JSONValue(parsing: request.body.bytes)["data"]?.objectValue ?? [:])
    }

    /// The secret of the hooks of tests.
    package static let secret = "whsec_" + Data((0..<32).map { UInt8($0) }).base64EncodedString()
}

/// Code of an embedding program that adds a claim to tokens, and can be down.
package final class TokenHookSwitch: Sendable {
    private struct Down: Error {}

    private let state = Mutex(false)

    package init() {}

    package var isDown: Bool {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    package var hooks: IdentityHooks {
        var hooks = IdentityHooks()
        hooks.token = { _ in
            guard !self.isDown else { throw Down() }
            return ["plan": "team"]
        }
        return hooks
    }
}

extension IdentityConfiguration {
    /// Adds a hook with the secret of tests.
    package mutating func add(_ name: String, on point: Hook.Point, change: (inout Hook) -> Void = { _ in }) {
        var hook = Hook(name: name, at: point, url: "https://app.example.com/hooks/\(name)?v=1")
        change(&hook)
        hooks.append(hook)
        hookSecrets[name] = HookProgram.secret
    }
}

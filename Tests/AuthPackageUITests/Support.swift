// SPDX-License-Identifier: Apache-2.0

import AuthPackage
import AuthPackageUI
import Foundation
import Observation
import Synchronization

/// A client of an app's own without states, whose next answer a test sets.
final class ScriptedClient: AuthClientProtocol {
    let error = Mutex<APIError?>(nil)
    let calls = Mutex<[String]>([])
    let pause: Duration?

    init(pause: Duration? = nil) { self.pause = pause }

    private func call(_ name: String) throws {
        calls.withLock { $0.append(name) }
        if let error = error.withLock(\.self) { throw error }
    }

    func login(email: String, password: String) async throws -> JWTClaims? {
        try call("login \(email)")
        return nil
    }
    func refreshIfNeeded() async throws -> String? { nil }
    func logout() async throws { try call("logout") }
    func register(email: String, password: String, name: String?, roles: [String]?) async throws -> User {
        try call("register \(email)")
        return User(id: "1", email: email)
    }
    func requestPasswordReset(email: String) async throws -> String? {
        try call("request \(email)")
        return nil
    }
    func resetPassword(token: String, newPassword: String) async throws -> String? {
        try call("reset \(token)")
        return nil
    }
    @MainActor func loginWithMicrosoft(from anchor: PresentationAnchor) async throws -> JWTClaims? {
        try call("microsoft")
        return nil
    }
    var currentUser: User? { User(id: "1", email: "ada@example.com", name: "Ada") }
    var tokens: Tokens? { nil }
    var retryAfter: Duration? { pause }
}

/// Waits until observable properties satisfy a condition.
@MainActor
func until(_ isMet: @escaping @MainActor () -> Bool) async {
    while !isMet() {
        // Nothing else runs on the main actor between the check and the observation.
        await withCheckedContinuation { continuation in
            _ = withObservationTracking {
                isMet()
            } onChange: {
                continuation.resume()
            }
        }
        // The change is made after its announcement.
        await Task.yield()
    }
}

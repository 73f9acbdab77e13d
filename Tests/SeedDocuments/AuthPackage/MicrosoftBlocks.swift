// SPDX-License-Identifier: Apache-2.0

// The blocks of seed 002's guide about Microsoft, which run on Linux in Tests/SeedTests with a page that a test plays.

#if !os(watchOS)
#if canImport(AuthenticationServices)
import AuthenticationServices
#endif
import AuthPackage
import Foundation

/// An app of the guide, which has the client in a variable.
@MainActor
final class GuideApp {
    let auth: AuthClient
    /// Left out by the guide.
    private(set) var handled: (any Error)?

    init(auth: AuthClient) { self.auth = auth }

    /// "Microsoft OAuth (via Backend)".
    func signInWithMicrosoft(from window: ASPresentationAnchor) async {
        do {
            _ = try await auth.loginWithMicrosoft(from: window)
            // Tokens are saved in tokenStore; claims decoded on return
        } catch {
            // handle error
            handled = error
        }
    }
}

/// "`AuthClientProtocol` Essentials": a client of a program's own, with the operations that the guide lists.
struct EssentialClient: AuthClientProtocol {
    func login(email: String, password: String) async throws -> JWTClaims? { nil }
    func refreshIfNeeded() async throws -> String? { nil }
    func logout() async throws {}
    func register(email: String, password: String, name: String?, roles: [String]?) async throws -> User {
        User(id: "1", email: email, name: name, roles: roles ?? [])
    }
    func requestPasswordReset(email: String) async throws -> String? { nil }
    func resetPassword(token: String, newPassword: String) async throws -> String? { nil }
    @MainActor
    func loginWithMicrosoft(from anchor: ASPresentationAnchor) async throws -> JWTClaims? { nil }
    var currentUser: User? { nil }
    var tokens: Tokens? { nil }
}
#endif

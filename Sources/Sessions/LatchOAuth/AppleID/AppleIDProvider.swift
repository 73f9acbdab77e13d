// SPDX-License-Identifier: Apache-2.0

public import LatchAuth

/// The system's part of Sign in with Apple, which tests replace.
public protocol AppleIDProvider: Sendable {
    /// Shows the system's dialog, and returns its credential.
    ///
    /// - Throws: `OAuthError.cancelled` and `browserUnavailable`; `CancellationError` as soon as the task is canceled.
    func credential(for request: AppleIDRequest) async throws -> AppleIDCredential

    /// Returns whether a user still uses this app with the Apple Account of this device.
    ///
    /// - Throws: An error if the system cannot tell now; the error says nothing about the user.
    func state(ofUser user: String) async throws -> AppleIDState

    /// Returns a stream with an element whenever a user may have stopped using an Apple Account with this app.
    func revocations() -> AsyncStream<Void>
}

/// A request for the system's dialog.
public struct AppleIDRequest: Sendable, Hashable {
    /// The value that the identity token must repeat: the SHA-256 hash of the nonce, in hexadecimal digits.
    public let nonce: String
    /// The value that the credential must repeat.
    public let state: String
    /// Whether the user's name is requested, which Apple gives only once.
    public let requestsName: Bool
    /// Whether the user's email address is requested.
    public let requestsEmail: Bool
}

/// The credential of the system's dialog, which is not verified yet.
public struct AppleIDCredential: Sendable, Redacting {
    /// The identifier of the user, for this developer's apps.
    public var user: String
    /// The identity token, a JWT.
    public var identityToken: String?
    /// The code that a server exchanges for tokens within five minutes.
    public var authorizationCode: String?
    /// The state of the request.
    public var state: String?
    /// The name; only with the first sign-in.
    public var name: AppleUserName?
    /// The email address; only with the first sign-in.
    public var email: String?
    /// Whether Apple considers the user a real person; nil if Apple does not say.
    public var isLikelyReal: Bool?

    /// Creates a credential.
    public init(
        user: String, identityToken: String? = nil, authorizationCode: String? = nil, state: String? = nil,
        name: AppleUserName? = nil, email: String? = nil, isLikelyReal: Bool? = nil
    ) {
        self.user = user
        self.identityToken = identityToken
        self.authorizationCode = authorizationCode
        self.state = state
        self.name = name
        self.email = email
        self.isLikelyReal = isLikelyReal
    }
}

/// A user's name, as the user edits it in the system's dialog.
public struct AppleUserName: Sendable, Hashable, Codable {
    /// The given name.
    public var given: String?
    /// The family name.
    public var family: String?

    /// Creates a name; nil if it has no part.
    public init?(given: String? = nil, family: String? = nil) {
        let parts = [given, family].map { $0.flatMap { $0.isEmpty ? nil : $0 } }
        guard parts.contains(where: { $0 != nil }) else { return nil }
        (self.given, self.family) = (parts[0], parts[1])
    }
}

/// The state of a user's Apple Account in this app.
public enum AppleIDState: Sendable, Hashable {
    /// The user uses the account with this app.
    case authorized
    /// The user has stopped using the account with this app.
    case revoked
    /// The user has never used the account with this app, or signed in to this device with another account.
    case notFound
    /// The app moved to another developer, whose server has to migrate the user.
    case transferred
    /// A state that this version does not know.
    case unknown

    /// Creates the state from a raw value of `ASAuthorizationAppleIDProvider.CredentialState`.
    package init(rawValue: Int) {
        let states: [AppleIDState] = [.revoked, .authorized, .notFound, .transferred]
        self = states.indices.contains(rawValue) ? states[rawValue] : .unknown
    }

    /// Whether the user must be signed out.
    public var endsSession: Bool { self == .revoked || self == .notFound }
}

extension OAuthError {
    /// Creates the error for a code of `ASAuthorizationError`.
    init(appleIDErrorCode code: Int?) {
        self =
            switch code {
            // `canceled`.
            case 1001: .cancelled
            // `unknown`: in practice, a device without an Apple Account or an app without the capability.
            case 1000:
                .browserUnavailable("this device has no Apple Account, or this app lacks the capability")
            case let code?: .browserUnavailable("Sign in with Apple failed with the code \(code)")
            case nil: .browserUnavailable("Sign in with Apple returned another credential")
            }
    }
}

// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
import LatchCore
import LatchCrypto
public import LatchFoundation
import LatchJOSE

/// One attempt of a user to sign in at an authorization server's page.
///
/// Open ``url``, and pass the URL that the server redirects to to ``AuthorizationClient/finish(_:)-(URL)``. State,
/// nonce, code verifier and issuer bind the response to this attempt. The attempt is a secret. It is `Codable`, so that
/// another process than the one that began can receive the response.
public struct AuthorizationAttempt: Sendable, Codable {
    /// The URL of the server's page.
    public internal(set) var url: URL
    /// The URL that the server redirects to.
    public let redirectURI: URL
    /// The date on which the attempt began, by this device's clock.
    let began: Date
    /// The value that ties the response to this attempt (RFC 6749 §10.12).
    package let state: String
    /// The value that ties the ID token to this attempt (OpenID Connect Core §15.5.2).
    let nonce: String
    /// The secret that only the client of this attempt can present with the code (RFC 7636 §4.1).
    let verifier: String
    /// The issuer that must respond (RFC 9207).
    let issuer: String
    /// The client that makes the request.
    let clientID: String
    /// The requested scopes.
    let scopes: Scopes
    /// The resources that the tokens are for (RFC 8707 §2); nil in an attempt that an earlier version began.
    let resources: [String]?
    /// The requested response mode; nil if none was requested, or in an attempt that an earlier version began.
    let responseMode: String?
    /// The greatest accepted age of the user's authentication.
    let maximumAge: Duration?
    /// The accepted authentication context classes; empty accepts any.
    let contextClasses: [String]
    /// The key that the tokens will be bound to (RFC 9449 §10).
    let key: DPoPKey?

    /// The time within which a user must sign in or begin again.
    static let lifetime: TimeInterval = 3_600

    init(
        _ request: AuthorizationRequest, scopes: Scopes, redirectURI: URL, issuer: URL, clientID: String, key: DPoPKey?,
        now: Date, random: RandomSource
    ) {
        url = redirectURI
        began = now
        self.redirectURI = redirectURI
        self.issuer = issuer.absoluteString
        self.clientID = clientID
        self.scopes = scopes
        self.key = key
        resources = request.resources
        responseMode = request.chosenMode?.rawValue
        maximumAge = request.maximumAge
        contextClasses = request.contextClasses
        // RFC 7636 §4.1: 32 random bytes, which are 43 characters.
        verifier = Base64URL.encode(random.bytes(32))
        state = Base64URL.encode(random.bytes(24))
        nonce = Base64URL.encode(random.bytes(24))
    }

    /// The hash of the verifier (RFC 7636 §4.2); `plain` would reveal the verifier to an attacker who sees the request.
    var challenge: String { Base64URL.encode(SHA256.hash(data: Array(verifier.utf8)).map(\.self)) }

    /// Whether the response must be signed.
    var expectsSignature: Bool { responseMode.flatMap(ResponseMode.init)?.isSigned ?? false }

    /// The attempt without the URL of the page, for storage with little space.
    package var withoutPage: AuthorizationAttempt {
        var copy = self
        copy.url = redirectURI
        return copy
    }

    /// Whether a URL is the response to this attempt.
    ///
    /// A listener that every program can call keeps waiting if it is not.
    public func isAnswered(by url: URL) -> Bool {
        do { return try AuthorizationResponse(url).state.map { $0.utf8.elementsEqual(state.utf8) } ?? false } catch {
            return false
        }
    }

    /// Whether the attempt is too old.
    ///
    /// An attempt may lie in the future, because users often correct a fast clock while they sign in. A date further
    /// ahead than the lifetime says nothing about the attempt's age.
    func isExpired(at now: Date) -> Bool { Self.isExpired(began, at: now) }

    static func isExpired(_ began: Date, at now: Date) -> Bool {
        !(-lifetime...lifetime).contains(now.timeIntervalSince(began))
    }

    /// The parameters of the attempt (RFC 6749 §4.1.1, RFC 7636 §4.3).
    func parameters(hasNonce: Bool, hasVerifier: Bool) -> [(String, String)] {
        var list = [
            ("response_type", "code"), ("client_id", clientID), ("redirect_uri", redirectURI.absoluteString),
            ("state", state),
        ]
        if hasVerifier { list += [("code_challenge", challenge), ("code_challenge_method", "S256")] }
        if hasNonce { list.append(("nonce", nonce)) }
        // RFC 9449 §10: the code is worthless without the key.
        if let key { list.append(("dpop_jkt", key.thumbprint)) }
        return list
    }
}

extension AuthorizationAttempt: Redacting {
    /// The issuer and the client, without the secrets.
    public var description: String { "AuthorizationAttempt(\(issuer), \(clientID))" }
}

/// The attempts that have begun, in a secret store: one secret each, so that no process replaces another's attempt.
struct AuthorizationAttemptStore: Sendable {
    private static let prefix = "latch.authorization."
    /// The maximum number of attempts; older ones are removed.
    static let greatestCount = 16

    let secrets: any SecretStore
    /// Serializes the calls of this process, so that only one of two calls with the same response gets the attempt.
    private let mutex = AsyncMutex()

    init(_ secrets: any SecretStore) { self.secrets = secrets }

    /// The name of an attempt: a hash, so that the names of a store reveal no state.
    private static func name(_ state: String) -> String {
        prefix + Base64URL.encode(Array(SHA256.hash(data: Array(state.utf8))).prefix(18))
    }

    /// Keeps an attempt, and removes those that are too old.
    func keep(_ attempt: AuthorizationAttempt, now: Date) async throws {
        var left: [(name: String, began: Date)] = []
        for name in try await secrets.names() where name.utf8.starts(with: Self.prefix.utf8) {
            // Other contents belong to other users of the store.
            guard let bytes = try await secrets.read(name), let other = Self.decode(Start.self, bytes) else { continue }
            guard !AuthorizationAttempt.isExpired(other.began, at: now) else {
                try await secrets.remove(name)
                continue
            }
            left.append((name, other.began))
        }
        left.sort { $0.began < $1.began }
        for (name, _) in left.dropLast(Self.greatestCount - 1) { try await secrets.remove(name) }
        try await secrets.write(Array(try JSONEncoder().encode(attempt)), for: Self.name(attempt.state))
    }

    /// Returns the attempt with a state, and removes it: each response is accepted once.
    ///
    /// An attempt that is not the caller's stays in the store, and counts as missing.
    func take(
        _ state: String, where isOwn: @Sendable (AuthorizationAttempt) -> Bool
    ) async throws -> AuthorizationAttempt? {
        try await mutex.withLock {
            let name = Self.name(state)
            // An attempt of another version counts as missing.
            guard let bytes = try await secrets.read(name), let attempt = Self.decode(AuthorizationAttempt.self, bytes),
                isOwn(attempt)
            else { return nil }
            try await secrets.remove(name)
            return attempt
        }
    }

    /// The part of an attempt that all versions have.
    private struct Start: Decodable {
        let began: Date
    }

    private static func decode<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) -> Value? {
        do { return try JSONDecoder().decode(type, from: Data(bytes)) } catch { return nil }
    }
}

// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import LatchOAuth
import LatchSignIn
import PortableFoundation

/// A sign-in through a provider that has begun in a browser.
///
/// The browser keeps it, encrypted and authenticated, in a cookie of its own. So any node can continue it, none keeps it
/// in memory, and in another browser nothing continues it (attack I3).
struct SignInAttempt: Codable, Sendable {
    /// The step that the attempt waits for.
    enum Step: Codable, Sendable {
        /// The response of the provider.
        case response(AuthorizationAttempt)
        /// A code of the second factor, for a challenge of this text.
        case secondFactor(challenge: String, UpstreamIdentityRecord)
    }

    let provider: String
    /// The URL of the app.
    let redirect: String
    /// The app's challenge (RFC 7636 §4.2); nil for an app that gets tokens in the URL.
    let codeChallenge: String?
    let purpose: String
    let expiresAt: Date
    var step: Step

    /// The time within which each step is taken.
    static let lifetime: TimeInterval = 600

    var isLink: Bool { purpose == SignInCode.Purpose.link.rawValue }
}

/// The identity of an attempt that waits for the second factor.
struct UpstreamIdentityRecord: Codable, Sendable {
    let issuer: String
    let subject: String
    let authenticatedAt: Date
}

extension SignInAttempt: Redacted {}

extension EncryptedCookies {
    /// Creates the cookies of one request's attempts, since the issuer may change while the server runs.
    init(attempts dependencies: Dependencies) {
        let issuer = dependencies.accessTokens.issuer ?? ""
        self.init(
            "latch-attempt", key: dependencies.pepper.derived(for: "latch sign-in attempt"),
            isSecure: issuer.lowercasedASCII().utf8.starts(with: "https://".utf8),
            lifetime: .seconds(Int64(SignInAttempt.lifetime)), clock: dependencies.clock)
    }

    /// Returns the attempt of a state or an id, if this browser began it and it has not expired.
    func attempt(_ id: String, in request: HTTPRequest, at now: Date) -> SignInAttempt? {
        guard let attempt = value(SignInAttempt.self, id: id, in: request), now < attempt.expiresAt else { return nil }
        return attempt
    }
}

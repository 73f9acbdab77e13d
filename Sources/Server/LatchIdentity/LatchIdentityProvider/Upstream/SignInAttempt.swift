// SPDX-License-Identifier: Apache-2.0

import LatchAuth
package import LatchCore
package import LatchCrypto
package import LatchFoundation
package import LatchHTTP
package import LatchIdentityAccounts
package import LatchIdentityStorage
package import LatchOAuth
import LatchRPC
package import LatchSignIn

/// A sign-in through a provider that was begun in a browser.
///
/// The browser keeps it in a separate cookie, encrypted and authenticated. So every node can continue it, no node keeps
/// it in memory, and it cannot be continued in another browser (attack I3).
package struct SignInAttempt: Codable, Sendable {
    /// The step that the attempt waits for.
    package enum Step: Codable, Sendable {
        /// The response of the provider.
        case response(AuthorizationAttempt)
        /// The code that was mailed to the user's address, by the id of the email.
        case address(mailID: String, sentTo: String, UpstreamIdentityRecord)
        /// A code of the second factor, for this challenge.
        case secondFactor(challenge: String, UpstreamIdentityRecord)
        /// The user's confirmation of the app, for this challenge; nil for a link, which has no account yet.
        case confirmation(challenge: String?, UpstreamIdentityRecord)
        /// The browser's next request to a page of this server, which has its cookies.
        case session(AdmittedRecord)
    }

    package let provider: String
    /// The URL of the app, or of this server for a browser without an app.
    package let redirect: String
    /// Whether the browser itself receives the tokens; nil in an attempt of an earlier version.
    package let isBrowsers: Bool?
    /// The identifier of the kept form of a page of this server, which continues; nil for an app or a browser with tokens.
    package let page: String?
    /// The app's challenge (RFC 7636 §4.2); nil for an app that receives tokens in the URL.
    package let codeChallenge: String?
    /// The app's state, which each of its URLs repeats (RFC 6749 §4.1.2); nil if it has sent none.
    package let state: String?
    package let purpose: String
    /// Whether the provider was asked for a page that it always shows.
    let isInteractive: Bool
    /// Whether only a new authentication at the provider is enough for a page of this server; nil for no.
    let requiresNewLogin: Bool?
    /// Whether the provider was asked to ignore earlier logins; nil in an attempt of an earlier version.
    let asksForLogin: Bool?
    let beganAt: Date
    package var expiresAt: Date
    package var step: Step

    /// The time within which each step must be taken.
    package static let lifetime: TimeInterval = 600

    package var isLink: Bool { purpose == SignInCode.Purpose.link.rawValue }

    /// Whether only the owner of the redirect's address receives the result.
    ///
    /// Other apps can register the same custom scheme.
    package var isClaimed: Bool { page != nil || isBrowsers == true || AppRedirect.isClaimed(redirect) }

    /// Whether the user of a session authenticates again.
    var isReauthentication: Bool { purpose == SignInCode.Purpose.reauthentication.rawValue }

    /// Whether the provider must have authenticated the user again.
    var isForNewLogin: Bool { isReauthentication || requiresNewLogin == true }

    /// Returns the attempt at a later step.
    package func waiting(for step: Step, until end: Date) -> SignInAttempt {
        var attempt = self
        (attempt.step, attempt.expiresAt) = (step, end)
        return attempt
    }

    /// Returns the URL of the app with the parameters of a response.
    package func appURL(_ parameters: [(String, String)]) -> String {
        AppRedirect.url(redirect, parameters + (state.map { [("state", $0)] } ?? []))
    }
}

/// The user of an attempt that waits for a page of this server.
package struct UpstreamIdentityRecord: Codable, Sendable {
    package let issuer: String
    package let subject: String
    /// The address that the provider reports.
    package let email: String?
    /// Whether the provider has verified the address, and knows its owner; nil in a record of an earlier version.
    let isEmailVerified: Bool?
    package let name: String?
    package let authenticatedAt: Date

    package init(_ user: UpstreamUser, isEmailVerified: Bool, authenticatedAt: Date) {
        (issuer, subject) = (user.identity.issuer, user.identity.subject)
        (email, name) = (user.identity.email?.text, user.name)
        self.isEmailVerified = isEmailVerified
        self.authenticatedAt = authenticatedAt
    }

    package func identity(at provider: String) -> UpstreamIdentity {
        UpstreamIdentity(
            issuer: issuer, subject: subject, provider: provider,
            email: email.map { EmailAddress(text: $0, key: $0.lowercasedASCII()) })
    }
}

/// An admitted proof of an attempt that continues on a page of this server.
package struct AdmittedRecord: Codable, Sendable {
    let accountID: String
    let credentialVersion: Int
    let authenticatedAt: Date
    let factorAt: Date?

    package init(_ proof: AdmittedProof) {
        (accountID, credentialVersion) = (proof.account.id, proof.account.credentialVersion)
        (authenticatedAt, factorAt) = (proof.authenticatedAt, proof.factorAt)
    }
}

extension SignInAttempt: Redacting {}

extension IdentityError {
    /// Other sites have started sign-ins in this browser.
    package static let tooManySignIns = IdentityError(
        code: "tooManySignIns", message: "Other sign-ins are in progress", hint: "Start over in the app.",
        retryAfter: .seconds(Int64(SignInAttempt.lifetime)),
        form: ClientForm(status: .tooManyRequests, oauth: "temporarily_unavailable", rpc: .resourceExhausted))
}

extension EncryptedCookies {
    /// Creates the cookies of one request's attempts, since the issuer may change while the server runs.
    package init(attemptsAt issuer: String?, pepper: SymmetricKey, clock: WallClock) {
        let issuer = issuer ?? ""
        self.init(
            "latch-attempt", key: pepper.derived(for: "latch sign-in attempt"),
            isSecure: issuer.lowercasedASCII().utf8.starts(with: "https://".utf8),
            lifetime: .seconds(Int64(SignInAttempt.lifetime)), clock: clock)
    }

    /// Returns the attempt of a state or an id, if this browser began it and it has not expired.
    package func attempt(_ id: String, in request: HTTPRequest, at now: Date) -> SignInAttempt? {
        guard let attempt = value(SignInAttempt.self, id: id, in: request), now < attempt.expiresAt else { return nil }
        return attempt
    }
}

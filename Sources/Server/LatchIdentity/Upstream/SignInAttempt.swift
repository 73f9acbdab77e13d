// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchCrypto
import LatchHTTP
import LatchJOSE
import LatchOAuth
import LatchServer
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

/// The cookies of the attempts in a browser, one for each.
struct SignInAttemptCookies: Sendable {
    /// The attempts that a browser keeps at once; older ones end, so that the Cookie field stays short.
    private static let maximumCount = 4
    private let key: SymmetricKey
    private let isSecure: Bool

    /// Creates the cookies of one request, since the issuer may change while the server runs.
    init(_ dependencies: Dependencies) {
        key = dependencies.pepper.derived(for: "latch sign-in attempt")
        isSecure = (dependencies.accessTokens.issuer ?? "").lowercasedASCII().utf8.starts(with: "https://".utf8)
    }

    /// The prefix of the names; with __Host- no other host of the site can set one (RFC 6265bis §4.1.3.2).
    private var prefix: String { isSecure ? "__Host-latch-attempt-" : "latch-attempt-" }

    /// Returns the name of the cookie of an attempt: a digest, so that the name does not reveal the state.
    private func name(_ id: String) -> String { prefix + Base64URL.encode(Array(id.digest.prefix(12))) }

    /// Returns the Set-Cookie field of an attempt.
    ///
    /// - Parameters:
    ///   - id: The state of the request to the provider, or the id in the form of a later step.
    ///   - isPosted: Whether the provider posts its response, with which a browser sends no other cookie.
    func set(_ attempt: SignInAttempt, id: String, isPosted: Bool) throws(IdentityError) -> String {
        let name = name(id)
        guard let content = try? JSONEncoder().encode(attempt),
            let box = try? AES.GCM.seal(Array(content), using: key, authenticating: Array(name.utf8)),
            let bytes = box.combined
        else { throw .encryptionFailed }
        let maximumAge = Int(SignInAttempt.lifetime)
        return field(name, Base64URL.encode(Array(bytes)), maximumAge: maximumAge, isPosted: isPosted && isSecure)
    }

    /// Returns the attempt of a state or an id, if this browser began it.
    func attempt(_ id: String, in request: HTTPRequest, at now: Date) -> SignInAttempt? {
        let name = name(id)
        // A second one may be an attacker's, set by another host of the site.
        guard !request.isAmbiguous(cookie: name), let text = request.cookies[name], text.utf8.count <= 8192,
            let sealed = try? Base64URL.decode(text), let box = try? AES.GCM.SealedBox(combined: sealed),
            let content = try? AES.GCM.open(box, using: key, authenticating: Array(name.utf8)),
            let attempt = try? JSONDecoder().decode(SignInAttempt.self, from: Data(content)), now < attempt.expiresAt
        else { return nil }
        return attempt
    }

    /// Returns the Set-Cookie field that removes the cookie of an attempt.
    func cleared(_ id: String, isPosted: Bool = false) -> String {
        field(name(id), "", maximumAge: 0, isPosted: isPosted && isSecure)
    }

    /// Returns the Set-Cookie fields that make room for another attempt.
    func makingRoom(in request: HTTPRequest) -> [String] {
        let names = request.cookies.keys.filter { $0.utf8.starts(with: prefix.utf8) }.sorted()
        guard names.count >= Self.maximumCount else { return [] }
        return names.map { field($0, "", maximumAge: 0, isPosted: false) }
    }

    /// Returns a Set-Cookie field (RFC 6265bis §4.1).
    ///
    /// SameSite=Lax: a browser sends the cookie with the provider's redirect, which is a navigation, and with nothing else
    /// that another site begins.
    private func field(_ name: String, _ value: String, maximumAge: Int, isPosted: Bool) -> String {
        let (secure, site) = (isSecure ? "; Secure" : "", isPosted ? "None" : "Lax")
        return "\(name)=\(value); Path=/; Max-Age=\(maximumAge); HttpOnly; SameSite=\(site)\(secure)"
    }
}

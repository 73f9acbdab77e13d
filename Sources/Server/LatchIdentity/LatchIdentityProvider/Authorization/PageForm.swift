// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import LatchCrypto
package import LatchFoundation
package import LatchHTTP
package import LatchIdentityAccounts
package import LatchIdentityStorage
import LatchJOSE
import LatchServer
import LatchSignIn

/// The encrypted and authenticated content of a form's hidden field: the state of its page.
///
/// No node keeps it in memory, no user can change it (attack B8), and each tab has its own (attack B9).
package struct PageForm: Codable, Sendable {
    /// The purpose for which a user signs in.
    package enum Purpose: Codable, Sendable {
        case authorization(PendingAuthorization)
        /// A user code without its dash, and the ways in which its client has users sign in, once it is known.
        case device(userCode: String, ways: Set<SignInWay>? = nil)
        /// The way back to a page of a protected application.
        case application(origin: String, target: String)
        /// A visit to a page of the server, by its path, for which the user of an account may have to authenticate again.
        case visit(path: String, again: String? = nil)
        /// A sign-out in the browser, and the registered URL to return to.
        case signOut(redirect: String?, state: String?, hint: SignOutHint? = nil)

        /// The client's request; nil for another purpose.
        package var request: PendingAuthorization? {
            if case .authorization(let request) = self { return request }
            return nil
        }

        /// The ways in which the client has its users sign in; nil for all.
        package var signInWays: Set<SignInWay>? {
            switch self {
            case .authorization(let request): request.signInWays
            case .device(_, let ways): ways
            case .application, .visit, .signOut: nil
            }
        }

        /// Whether only a new login suffices.
        package var needsNewLogin: Bool {
            switch self {
            case .authorization(let request): request.requiresNewLogin
            case .visit(_, let again): again != nil
            case .device, .application, .signOut: false
            }
        }
    }

    /// What an ID token says about the session that its client ends (OpenID Connect RP-Initiated Logout §2).
    package struct SignOutHint: Codable, Sendable {
        package let clientID: String
        /// The `sid`, which is another one for each client and each session of a browser.
        package let sessionID: String

        package init(clientID: String, sessionID: String) {
            (self.clientID, self.sessionID) = (clientID, sessionID)
        }
    }

    /// The input that the page asks for.
    package enum Step: Codable, Sendable {
        case password
        /// A code of the second factor, for this challenge, after the first factor of this way.
        case factor(challenge: String, way: SignInWay? = nil)
        /// The code that was mailed to the owner of a lost second factor.
        case factorLost(claim: FactorRecoveryService.Claim, mailID: String)
        /// A decision in a browser's session, named by its device, on the scopes that its user is shown.
        case decision(device: String, scopes: String?)
        /// A change of the account of a browser's session, named by its device, with the second factor that it sets up.
        case account(device: String, setup: SecondFactorService.Setup? = nil)
        /// The address of a user who signs up.
        case signUp
        /// The code that was mailed to this address.
        case signUpCode(mailID: String, email: String)
        /// The details of the account of this address, which its user has proved, with the version of the terms shown.
        case signUpDetails(email: String, provedAt: Date, terms: String?)
        /// The address of a user who wants a code to sign in.
        case codeRequest
        /// The code to sign in that was mailed to this address, if it has an account.
        case signInCode(mailID: String, email: String)
        /// The password of the account of a mailed token, by its digest, after the code beside its link.
        case verification(token: [UInt8])
        /// The address of a user who wants an email with a link.
        case mailRequest
        /// No input: the email is on its way, and its user returns to sign in.
        case mailSent
        /// No input: a request that a client has sent by POST, has pushed, or that leads back to a page.
        case request
    }

    /// The identifier by which a decision is used up.
    package let id: String
    package let purpose: Purpose
    package let step: Step
    /// The identifier of the browser that was shown the page.
    ///
    /// A form of another site has none, or a different one (attack G7).
    package let browser: String
    package let expiresAt: Date

    package init(id: String, purpose: Purpose, step: Step, browser: String, expiresAt: Date) {
        self.id = id
        self.purpose = purpose
        self.step = step
        self.browser = browser
        self.expiresAt = expiresAt
    }

    /// The time within which a form must be sent.
    package static let lifetime: TimeInterval = 3600
}

/// The encryption of ``PageForm``.
package struct PageFormCipher: Sendable {
    private let key: SymmetricKey
    private static let context = Array("latch page form 1".utf8)
    /// The greatest length of an encrypted form.
    private static let greatestLength = 48 << 10

    package init(pepper: SymmetricKey) { key = pepper.derived(for: "latch page form") }

    /// Returns the text for the hidden field.
    package func seal(_ form: PageForm) throws(IdentityError) -> String {
        do {
            let box = try AES.GCM.seal(
                Array(try JSONEncoder().encode(form)), using: key, authenticating: Self.context)
            return Base64URL.encode(Array(box.nonce) + Array(box.ciphertext) + Array(box.tag))
        } catch {
            throw .encryptionFailed
        }
    }

    /// Returns the form of a text; nil if the server did not create it, or it has expired.
    package func open(_ text: String, at now: Date) -> PageForm? {
        guard text.utf8.count <= Self.greatestLength else { return nil }
        do {
            let box = try AES.GCM.SealedBox(combined: Base64URL.decode(text))
            let content = try AES.GCM.open(box, using: key, authenticating: Self.context)
            let form = try JSONDecoder().decode(PageForm.self, from: Data(content))
            return now < form.expiresAt ? form : nil
        } catch {
            // The text was changed, or comes from another version of the server.
            return nil
        }
    }
}

/// The identifier of a browser without a session.
struct BrowserID: Codable, Sendable {
    let text: String
}

/// The session of a browser at a protected application.
struct ApplicationSession: Codable, Sendable {
    /// The public id of the device.
    let device: String

    /// The time for which a browser stays signed in at the application: that of a session that is not remembered.
    static let lifetime: TimeInterval = 86_400
}

/// The cookies of the pages on which users sign in, and of protected applications.
package struct PageCookies: Sendable {
    /// The identifier that the names of the cookies contain.
    ///
    /// A browser sends a cookie to all ports of a host. So an issuer with a port or a path has separate names.
    /// Otherwise a sign-in at one server of the host would sign out at the others.
    private let id: String
    /// The identifier at an issuer without port and path, and in the cookies of earlier versions.
    private static let common = "1"
    private let browsers: EncryptedCookies
    private let sessions: EncryptedCookies
    private let applications: EncryptedCookies

    /// Creates the cookies of one request, since the issuer may change while the server runs.
    package init(issuer: String?, pepper: SymmetricKey, clock: WallClock) {
        let issuer = issuer ?? ""
        let isSecure = issuer.lowercasedASCII().utf8.starts(with: "https://".utf8)
        let parts = issuer.utf8.split(separator: UInt8(ascii: "/")).dropFirst()
        let isBare = parts.count < 2 && parts.first?.contains(UInt8(ascii: ":")) != true
        id = isBare ? Self.common : String(issuer.withoutFinalSlash)
        func cookies(_ name: String, _ lifetime: TimeInterval) -> EncryptedCookies {
            EncryptedCookies(
                name, key: pepper.derived(for: "latch page cookies"), isSecure: isSecure,
                lifetime: .seconds(Int64(lifetime)), clock: clock)
        }
        browsers = cookies("latch-browser", PageForm.lifetime)
        sessions = cookies("latch-session", PageSession.lifetime)
        applications = cookies("latch-app", ApplicationSession.lifetime)
    }

    /// Returns the identifier of the browser; nil if it has none.
    package func browser(in request: HTTPRequest) -> String? { value(BrowserID.self, of: browsers, in: request)?.text }

    /// Returns the Set-Cookie field for an identifier.
    package func set(browser text: String) throws(IdentityError) -> String {
        do { return try browsers.set(BrowserID(text: text), id: id) } catch { throw .encryptionFailed }
    }

    /// Returns the session in the cookie.
    ///
    /// The store decides whether it is valid.
    package func session(in request: HTTPRequest) -> PageSession? { value(PageSession.self, of: sessions, in: request) }

    /// Returns the Set-Cookie field for a session.
    package func set(_ value: PageSession) throws(IdentityError) -> String {
        do { return try sessions.set(value, id: id) } catch { throw .encryptionFailed }
    }

    /// Returns the value of a cookie, or else of the one from before an upgrade, which lasts for an hour.
    private func value<Value: Decodable>(_ type: Value.Type, of cookies: EncryptedCookies, in request: HTTPRequest)
        -> Value?
    {
        cookies.value(type, id: id, in: request) ?? cookies.value(type, id: Self.common, in: request)
    }

    /// The Set-Cookie field that ends a session.
    package var endedSession: String { sessions.cleared(id) }

    // MARK: Protected applications

    /// Returns the device in the cookie of a protected application's host; nil if there is none.
    ///
    /// The store decides whether it is signed in.
    func application(in request: HTTPRequest) -> [UInt8]? {
        applications.value(ApplicationSession.self, id: id, in: request).flatMap { Device.id(fromPublicID: $0.device) }
    }

    /// Returns the Set-Cookie field for a device.
    func set(application device: [UInt8]) throws(IdentityError) -> String {
        do { return try applications.set(ApplicationSession(device: Base64URL.encode(device)), id: id) } catch {
            throw .encryptionFailed
        }
    }

    /// The Set-Cookie field that removes the cookie of a protected application's host.
    var endedApplication: String { applications.cleared(id) }
}

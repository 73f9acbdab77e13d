// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
import LatchCore
import LatchHTTP

/// As whom a program is known to a provider: what RFC 6749 §2 calls a client.
///
/// ```swift
/// AppRegistration(clientID: "notes")                                    // public: an app, a command
/// AppRegistration(clientID: "notes-web", secret: secret)                // confidential: a server
/// ```
public struct AppRegistration: Sendable, Hashable {
    /// How a program proves who it is.
    public enum Authentication: String, Sendable, Hashable {
        /// Not at all: a program on somebody's device keeps no secret (RFC 6749 §2.1).
        case none
        /// `client_secret_basic`: in the `Authorization` field (RFC 6749 §2.3.1).
        case basic
        /// `client_secret_post`: in the form, for issuers that know nothing better (RFC 6749 §2.3.1).
        case post
    }

    /// The identifier; nil for a backend of one's own that knows no registrations.
    public let clientID: String?
    /// How the program proves who it is.
    public let authentication: Authentication
    /// What proves it.
    package let secret: String?

    /// A registration.
    ///
    /// - Parameters:
    ///   - secret: Only where the program can keep one.
    ///   - authentication: How the secret is sent; `basic` by default where there is one.
    public init(clientID: String? = nil, secret: String? = nil, authentication: Authentication? = nil) {
        self.clientID = clientID
        self.secret = secret
        self.authentication = authentication ?? (secret == nil ? .none : .basic)
    }

    /// No registration at all.
    public static let none = AppRegistration()

    /// Adds what says and proves who the program is.
    func authenticate(_ form: inout [(String, String)], _ fields: inout HTTPFields) {
        guard let clientID else { return }
        switch authentication {
        case .none:
            // RFC 6749 §3.2.1: without authentication the program at least says who it is.
            form.append(("client_id", clientID))
        case .basic:
            // RFC 6749 §2.3.1: both are encoded as a form before they are joined, so a colon in either moves nothing.
            let pair = "\(Self.encoded(clientID)):\(Self.encoded(secret ?? ""))"
            fields[.authorization] = "Basic \(Base64Alphabet.standard.encodePadded(Array(pair.utf8)))"
        case .post:
            form.append(("client_id", clientID))
            form.append(("client_secret", secret ?? ""))
        }
    }

    private static func encoded(_ text: String) -> String { String(FormEncoding.encode([("", text)]).dropFirst()) }
}

extension AppRegistration: Redacting {
    /// Who it is, without what proves it.
    public var description: String {
        "AppRegistration(\(clientID ?? "anonymous"), \(authentication.rawValue))"
    }
}

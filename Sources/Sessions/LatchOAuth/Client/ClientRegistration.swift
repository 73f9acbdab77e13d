// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
import LatchCore
import LatchHTTP

/// The registration of a client at an authorization server (RFC 6749 §2).
///
/// ```swift
/// ClientRegistration(clientID: "notes")                                 // public: an app, a command
/// ClientRegistration(clientID: "notes-web", secret: secret)             // confidential: a server
/// ```
public struct ClientRegistration: Sendable, Hashable {
    /// A method of client authentication.
    public enum Authentication: String, Sendable, Hashable {
        /// The client has no authentication: a program on a user's device cannot keep a secret (RFC 6749 §2.1).
        case none
        /// `client_secret_basic`: in the `Authorization` field (RFC 6749 §2.3.1).
        case basic
        /// `client_secret_post`: in the form, for servers that support nothing better (RFC 6749 §2.3.1).
        case post
    }

    /// The client identifier; nil for a server without registrations.
    public let clientID: String?
    /// The method of client authentication.
    public let authentication: Authentication
    /// The client secret.
    package let secret: String?

    /// Creates a registration.
    ///
    /// - Parameters:
    ///   - clientID: The client identifier; nil for a server without registrations.
    ///   - secret: The client secret; nil for a public client, which cannot keep one.
    ///   - authentication: The method of client authentication; nil for `basic` with a secret and for `none` without
    ///     one.
    public init(clientID: String? = nil, secret: String? = nil, authentication: Authentication? = nil) {
        self.clientID = clientID
        self.secret = secret
        self.authentication = authentication ?? (secret == nil ? .none : .basic)
    }

    /// A client without a registration.
    public static let none = ClientRegistration()

    /// Adds the client identifier and the client authentication to a request.
    func authenticate(_ form: inout [(String, String)], _ fields: inout HTTPFields) {
        guard let clientID else { return }
        switch authentication {
        case .none:
            // RFC 6749 §3.2.1: a client without authentication still identifies itself.
            form.append(("client_id", clientID))
        case .basic:
            // RFC 6749 §2.3.1: both are form-encoded before they are joined, so that a colon in either is harmless.
            let pair = "\(FormEncoding.encodeValue(clientID)):\(FormEncoding.encodeValue(secret ?? ""))"
            fields[.authorization] = "Basic \(Base64Alphabet.standard.encodePadded(Array(pair.utf8)))"
        case .post:
            form.append(("client_id", clientID))
            form.append(("client_secret", secret ?? ""))
        }
    }
}

extension ClientRegistration: Redacting {
    /// The client identifier, without the secret.
    public var description: String {
        "ClientRegistration(\(clientID ?? "anonymous"), \(authentication.rawValue))"
    }
}

extension FormEncoding {
    /// Encodes one value (application/x-www-form-urlencoded).
    static func encodeValue(_ text: String) -> String { String(encode([("", text)]).dropFirst()) }
}

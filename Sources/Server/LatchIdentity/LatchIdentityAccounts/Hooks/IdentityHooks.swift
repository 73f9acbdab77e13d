// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
public import LatchCore
public import LatchFoundation
import LatchIdentityStorage

/// The code of a program that embeds the server, which the server runs at the points of ``Hook/Point``.
///
/// ```swift
/// var hooks = IdentityHooks()
/// hooks.signUp = { attempt in
///     attempt.email.hasSuffix("@example.com") ? .allow() : .deny("Only for our staff.")
/// }
/// let identity = try await Identity(
///     configuration: configuration, storePath: "identity.sqlite", mailer: mailer, hooks: hooks)
/// ```
///
/// An error that the code throws fails the request, which clients then repeat. A point has either this code or a hook of
/// the configuration.
public struct IdentityHooks: Sendable {
    /// Decides whether a user may create an account.
    public var signUp: (@Sendable (SignUpAttempt) async throws -> SignUpDecision)?
    /// Returns claims to add to an access token, none of which is a claim of the server.
    public var token: (@Sendable (TokenRequest) async throws -> [String: JSONValue])?
    /// Sends an email instead of the server; returns whether it did.
    public var mail: (@Sendable (HookMail) async throws -> Bool)?
    /// Sends a text message to a phone.
    public var text: (@Sendable (TextMessage) async throws -> Void)?
    /// Checks a password in the system that users are moving from.
    public var password: (@Sendable (PasswordQuestion) async throws -> PasswordAnswer)?
    /// Is told what has happened, at least once, and in order for each account.
    public var event: (@Sendable (IdentityEvent) async throws -> Void)?

    /// Creates hooks without code.
    public init() {}
}

extension IdentityHooks {
    /// A user who is about to create an account.
    public struct SignUpAttempt: Sendable, Hashable {
        /// The way in which the user signs up.
        public enum Way: String, Sendable, Hashable {
            /// An app sent an address and a password.
            case app
            /// The user has proved the address on a page.
            case page
            /// An app sent an address that the user has proved by a mailed code.
            case code
            /// An identity provider knows the user.
            case provider
        }

        /// The way of this user.
        public let way: Way
        /// The address as the user typed it.
        public let email: String
        /// Whether the user has proved the address, or its provider vouches for it.
        public let isEmailVerified: Bool
        /// The full name; nil for none.
        public let name: String?
        /// The user name; nil for none.
        public let username: String?
        /// The name of the provider in the settings; nil for another way.
        public let provider: String?
        /// The attributes that the app has sent.
        public let attributes: [String: JSONValue]
        /// The address of the client, and its User-Agent field.
        public let address, userAgent: String?
        /// The user's language as a BCP 47 tag; nil if it is not known.
        public let language: String?
    }

    /// The decision about a sign-up.
    public enum SignUpDecision: Sendable, Hashable {
        /// The account is created, with these attributes in addition to those that the app has sent.
        case allow(attributes: [String: JSONValue] = [:])
        /// The account is not created; the user reads the text, which has at most 300 characters.
        case deny(String)
    }

    /// An access token that is about to be issued.
    public struct TokenRequest: Sendable, Hashable {
        /// The user; nil for a client that acts for itself.
        public let user: User?
        /// The client that gets the token.
        public let clientID: String
        /// The granted scopes.
        public let scopes: [String]
        /// The resource server; nil for the operator's API.
        public let audience: String?
        /// The grant, such as `authorization_code`.
        public let grant: String
    }

    /// A user, as far as a hook learns of them.
    public struct User: Sendable, Hashable {
        /// The `sub` of the tokens.
        public let id: String
        /// The address as the user typed it; nil for a guest, and for others without one.
        public let email: String?
        /// Whether the user has proved the address.
        public let isEmailVerified: Bool
        /// The full name; nil for none.
        public let name: String?
        /// The user name; nil for none.
        public let username: String?
        /// The words that services read as rights.
        public let roles, permissions: [String]
        /// All attributes, also private ones.
        public let attributes: [String: JSONValue]
        /// The time of the sign-up, or that of the earlier system.
        public let createdAt: Date
    }

    /// An email that is about to be sent.
    ///
    /// Its text may have a link or a code that signs its reader in: nothing else may keep it.
    public struct HookMail: Sendable, Hashable {
        /// The identifier of the email, the same in every attempt.
        public let id: String
        /// The purpose, such as `resetPassword`, by which templates are named too.
        public let purpose: String
        /// The address of the recipient.
        public let recipient: String
        /// The subject, one line, and the plain text.
        public let subject, text: String
        /// The same text as HTML; nil for an email with only plain text.
        public let html: String?
        /// The language as a BCP 47 tag.
        public let language: String?
    }

    /// A text message that is about to be sent.
    ///
    /// It has a code: nothing else may keep it.
    public struct TextMessage: Sendable, Hashable {
        /// The purpose: `verifyPhone`.
        public let purpose: String
        /// The number of the recipient, such as `+4930123456`.
        public let recipient: String
        /// The six digits, and a message with them that phones can fill in.
        public let code, text: String
        /// The language of the message as a BCP 47 tag.
        public let language: String
    }

    /// A password that this server does not know.
    public struct PasswordQuestion: Sendable, Hashable {
        /// The email address or the user name as it was typed, without spaces around it.
        public let login: String
        /// The password as it was typed.
        public let password: String
        /// The address of the client.
        public let address: String?
    }

    /// The answer of the system that users are moving from.
    public enum PasswordAnswer: Sendable, Hashable {
        /// The name is not known there, or the password is wrong.
        case invalid
        /// The password is right. The account is created from the record, in the format of imports, unless it was imported
        /// without a password.
        case valid(user: JSONObject)
    }
}

extension IdentityHooks.PasswordQuestion: Redacting {}
extension IdentityHooks.PasswordAnswer: Redacting {}
extension IdentityHooks.SignUpAttempt: Redacting {}
extension IdentityHooks.TokenRequest: Redacting {}

extension IdentityHooks.User: Redacting {
    /// The identifier.
    public var description: String { "User(\(id))" }
}

extension IdentityHooks.HookMail: Redacting {
    /// The purpose.
    public var description: String { "HookMail(\(purpose), redacted)" }
}

extension IdentityHooks.TextMessage: Redacting {
    /// The purpose.
    public var description: String { "TextMessage(\(purpose), redacted)" }
}

/// Something that has happened to an account or at the server, as the audit log has it.
public struct IdentityEvent: Sendable, Hashable {
    /// The identifier, the same in every repetition.
    public let id: String
    /// The name, such as `account.created`.
    public let type: String
    /// The account; nil for an event of the server.
    public let userID: String?
    /// The time of the event.
    public let date: Date
    /// What the audit log says besides; nil for nothing.
    public let detail: String?

    package init(id: String, type: String, userID: String?, date: Date, detail: String?) {
        (self.id, self.type, self.userID, self.date, self.detail) = (id, type, userID, date, detail)
    }
}

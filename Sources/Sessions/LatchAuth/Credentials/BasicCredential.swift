// SPDX-License-Identifier: Apache-2.0

internal import LatchCore
internal import LatchCrypto
internal import LatchFoundation
public import LatchHTTP

/// A user and a password in the `Authorization` field (RFC 7617), in UTF-8.
public struct BasicCredential: SessionCredential, Codable {
    /// The user ID; it contains no colon.
    package let user: String
    /// The password in the form that is sent.
    package let password: String

    /// Creates a credential.
    ///
    /// - Throws: `AuthError.invalidCredential` for control characters, and for a user ID with a colon, which would
    ///   become part of the password (RFC 7617 §2).
    public init(user: String, password: String) throws(AuthError) {
        guard !user.utf8.contains(0x3A) else { throw .invalidCredential("the user contains a colon") }
        guard !(user + password).unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw .invalidCredential("the user or the password contains a control character")
        }
        self.user = user
        self.password = password
    }

    /// Decodes a credential, and runs the checks of the initializer.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        try self.init(
            user: container.decode(String.self, forKey: .user),
            password: container.decode(String.self, forKey: .password))
    }

    private enum CodingKeys: String, CodingKey { case user, password }

    /// Sets the `Authorization` field to the credential.
    public func authorize(_ request: inout HTTPRequest) {
        let pair = Base64Alphabet.standard.encodePadded(Array("\(user):\(password)".utf8))
        request.fields[.authorization] = "Basic \(pair)"
    }

    /// Compares the passwords in constant time.
    public static func == (left: BasicCredential, right: BasicCredential) -> Bool {
        left.user == right.user && constantTimeEquals(left.password.utf8, right.password.utf8)
    }
}

extension BasicCredential: Redacting {}

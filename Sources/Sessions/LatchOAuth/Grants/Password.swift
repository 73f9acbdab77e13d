// SPDX-License-Identifier: Apache-2.0

public import LatchAuth

/// The name and the password of a person (RFC 6749 §4.3): legacy, and only for one's own backend.
///
/// RFC 9700 §2.4: it must not be used. It shows the password to the program, teaches people to type it anywhere, and
/// knows neither second factors nor passkeys. It is here for a program and a backend of one owner that still speak it;
/// for anybody else's accounts use a grant that leads through the issuer's own page.
public struct PasswordGrant: Grant {
    /// Who signs in.
    public let username: String
    /// What is asked for; nothing is sent where it is empty.
    public let scopes: Scopes
    /// Kept no longer than the request needs it.
    private let password: String

    /// A grant for one sign-in.
    public init(username: String, password: String, scopes: Scopes = []) {
        self.username = username
        self.password = password
        self.scopes = scopes
    }

    /// RFC 6749 §4.3.2.
    public var type: String { "password" }

    /// Name, password, and the scopes with a space between them.
    public var parameters: [(String, String)] {
        [("username", username), ("password", password), ("scope", scopes.text)]
    }

    /// What is asked for is what is granted, where the answer does not say; without any it is the issuer's choice.
    public var expectedScopes: Scopes? { scopes.isEmpty ? nil : scopes }
}

extension PasswordGrant: Redacting {
    /// That there are a name and a password.
    public var description: String { "PasswordGrant(redacted)" }
}

// SPDX-License-Identifier: Apache-2.0

/// The meaning of a field's text for the password manager and for AutoFill, which SwiftUI calls `textContentType`.
public enum TextContentType: String, Hashable, Sendable, Codable, CaseIterable {
    /// The name of an account, even if it is an email address: the password is stored with it.
    case username
    /// An email address that does not name an account yet.
    case emailAddress
    /// The password of an account.
    case password
    /// A password for which the system may suggest a strong one.
    case newPassword
    /// A code of an authenticator app or of a message.
    case oneTimeCode
    /// The full name of a person.
    case name
    /// The first name.
    case givenName
    /// The last name.
    case familyName
    /// A name that a person chooses.
    case nickname
}

extension FieldKind {
    /// The default meaning of a text of this kind.
    public var contentType: TextContentType? {
        switch self {
        case .email: .emailAddress
        case .username: .username
        case .password: .password
        case .newPassword: .newPassword
        case .oneTimeCode, .authenticatorCode: .oneTimeCode
        case .name: .name
        case .text, .paragraph, .checkbox: nil
        }
    }
}

/// The label of the return key in a field.
public enum ReturnKey: String, Hashable, Sendable, CaseIterable {
    /// The focus moves to the next empty field.
    case next
    /// The form is sent.
    case go
}

// SPDX-License-Identifier: Apache-2.0

package import LatchIdentityStorage

/// A value of one email, which stands in a template as `{{link}}`.
package enum MailField: String, Sendable, CaseIterable {
    /// The name of the service.
    case service
    /// The address that the email is sent to.
    case recipient
    /// The URL of the next step, or of the page of the account.
    case link
    /// The six digits to type, in two groups.
    case code
    /// The URL of the page that takes the code.
    case codePage = "code_page"
    /// The time for which the link is valid, or after which the account is deleted, such as "24 hours".
    case lifetime
    /// The account, the time, the device and its address, one in a line.
    case details
    /// The sentence about other providers that can still sign in; often empty.
    case providers
    /// The label and the address of the page about help; empty without `support_url`.
    case support

    package var placeholder: String { "{{\(rawValue)}}" }
}

extension OutboxMail.Purpose {
    /// A page that an email links to.
    package enum Page: Sendable, Hashable {
        /// The form at a path that takes the token of the email.
        case form(path: String)
        /// The page of the account.
        case account
    }

    /// The page that the email links to; nil for an email without a link.
    package var page: Page? {
        switch self {
        case .verifyEmail, .newAddress: .form(path: "/verify")
        case .resetPassword, .invitation: .form(path: "/reset")
        case .oldAddress: .form(path: "/confirm-change")
        case .factorAdded, .factorRemoved, .signInAdded, .signInRemoved, .passkeyAdded, .passkeyRemoved,
            .passwordChanged, .addressTaken, .signUpTaken, .deletionRequested, .newDevice, .apiKeyAdded,
            .factorRecoveryBegun, .factorRecoverySoon:
            .account
        case .addressChanging, .addressChanged, .addressCode, .signedUp, .signUpCode, .signInCode, .factorRecoveryCode:
            nil
        }
    }

    /// The fields that have a value in emails of the purpose.
    package var fields: [MailField] {
        MailField.allCases.filter { field in
            switch field {
            case .service, .recipient, .support: true
            case .link: page != nil
            case .code: hasCode
            case .codePage: self == .verifyEmail
            case .lifetime:
                hasForm || [.deletionRequested, .factorRecoveryBegun, .factorRecoverySoon].contains(self)
            case .details: describesCause
            case .providers: self == .passwordChanged
            }
        }
    }

    /// The field without which the email is useless; nil for a notice.
    package var requiredField: MailField? { hasForm ? .link : hasCode ? .code : nil }

    private var hasCode: Bool {
        [.addressCode, .signUpCode, .signInCode, .verifyEmail, .factorRecoveryCode].contains(self)
    }

    private var hasForm: Bool { page != nil && page != .account }
}

/// A text with fields, which is split once: a value with `{{` in it stays as it is.
package struct MailText: Sendable, Hashable {
    package enum Piece: Sendable, Hashable {
        case text(String)
        case field(MailField)

        package var field: MailField? { if case .field(let field) = self { field } else { nil } }
    }

    package let pieces: [Piece]

    package init(_ pieces: [Piece]) { self.pieces = pieces }

    /// Splits a text; what is not a field stays text.
    package init(_ text: String) {
        var pieces: [Piece] = []
        var literal = ""
        var rest = Substring(text)
        while let start = rest.utf8.firstRange(of: "{{".utf8) {
            guard let end = rest[start.upperBound...].utf8.firstRange(of: "}}".utf8) else { break }
            literal += rest[..<start.lowerBound]
            if let field = MailField(rawValue: String(rest[start.upperBound..<end.lowerBound].trimmingSpace())) {
                if !literal.isEmpty { pieces.append(.text(literal)) }
                pieces.append(.field(field))
                literal = ""
            } else {
                literal += rest[start.lowerBound..<end.upperBound]
            }
            rest = rest[end.upperBound...]
        }
        literal += rest
        if !literal.isEmpty { pieces.append(.text(literal)) }
        self.pieces = pieces
    }

    package var fields: [MailField] { pieces.compactMap(\.field) }

    /// Returns the text with the values of its fields.
    package func filled(_ value: (MailField) -> String) -> String {
        pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .field(let field): value(field)
            }
        }.joined()
    }
}

// SPDX-License-Identifier: Apache-2.0

import LatchHTTP
import LatchIdentityProvider
import LatchIdentityStorage
import LatchSignIn
import LatchTexts

/// A change of the account's profile or password, which has a page with a form.
enum AccountChange: String, CaseIterable, Sendable {
    case name, email, password

    var path: String { "\(AccountOverview.path)/\(rawValue)" }

    /// Whether its page is only for a user who has authenticated recently (decision 0051).
    ///
    /// The form of a new password asks for the old one, but an account with a second factor needs more.
    var needsRecentLogin: Bool { self != .name }

    /// The field whose text the page shows again after an error.
    var field: String {
        switch self {
        case .name: "name"
        case .email: "email"
        case .password: "username"
        }
    }

    private var texts: (title: Phrase, text: Phrase) {
        switch self {
        case .name: (Phrase("page.account.name.title"), Phrase("page.account.name.text"))
        case .email: (Phrase("page.account.email.title"), Phrase("page.account.email.text"))
        case .password: (Phrase("page.account.password.title"), Phrase("page.account.password.text"))
        }
    }

    /// The fields that an error concerns; none for an error of the account.
    private func invalidFields(_ error: IdentityError) -> [String] {
        switch (self, error) {
        case (.name, .invalidInput): ["name"]
        case (.email, .invalidEmail), (.email, .invalidInput): ["email"]
        case (.password, .weakPassword): ["new_password"]
        case (.password, .invalidCredentials): ["password"]
        default: []
        }
    }

    /// Returns the page.
    ///
    /// - Parameter typed: The text of the last attempt; nil for the current value.
    func page(
        in session: ActivePageSession, _ sessions: AccountSessions, _ request: HTTPRequest, typed: String? = nil,
        problem: IdentityError? = nil
    ) throws(IdentityError) -> HTTPResponse {
        try sessions.form(path, in: session, request, problem: problem) { token, context in
            HTMLPage(
                texts.title, text: texts.text, problem: problem?.pageProblem,
                invalidFields: problem.map(invalidFields) ?? [], action: (path, Phrase("page.account.save")),
                carrying: token, fields: fields(of: session, typed: typed, context), links: AccountSessions.back,
                in: context)
        }
    }

    private func fields(of session: ActivePageSession, typed: String?, _ context: PageContext) -> [HTMLField] {
        switch self {
        case .name:
            [
                .personName(
                    label: context.texts(Phrase("page.field.personName")),
                    hint: context.texts(Phrase("page.field.personName.hint")),
                    value: typed ?? session.account.name ?? "")
            ]
        case .email: [.newAddress(label: context.texts(Phrase("page.field.newEmail")), value: typed ?? "")]
        case .password:
            // Password managers take the first text field as the user's name.
            [
                .hiddenUsername(session.account.label),
                .password(label: context.texts(Phrase("page.field.currentPassword"))),
                .newPassword("new_password", in: context),
            ]
        }
    }
}

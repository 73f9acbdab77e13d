// SPDX-License-Identifier: Apache-2.0

package import LatchHTTP
import LatchIdentityAccounts
package import LatchIdentityProvider
package import LatchIdentityStorage
import LatchServer
import LatchSignIn
import LatchTexts

/// The pages on which users request an email, with the request that they return to.
package struct MailRequestPages: Sendable {
    package let signInPages: SignInPages

    package init(signInPages: SignInPages) { self.signInPages = signInPages }

    /// The kind of email; its raw value is the name of the button that leads to its page.
    package enum Kind: String, CaseIterable, Sendable {
        case password = "forgot"
        case verification = "resend"

        var path: String { "/\(rawValue)" }
        var purpose: OneTimeToken.Purpose { self == .password ? .resetPassword : .verifyEmail }
        fileprivate var title: Phrase { Phrase(self == .password ? "page.forgot.title" : "page.resend.title") }
        fileprivate var text: Phrase { Phrase(self == .password ? "page.forgot.text" : "page.resend.text") }

        fileprivate func answer(_ email: EmailAddress) -> Phrase {
            Phrase(self == .password ? "page.forgot.done.text" : "page.resend.done.text", .text(email.text))
        }

        /// The button of a sign-in page.
        var button: HTMLPage.Button<Phrase> {
            .init(
                rawValue, Phrase(self == .password ? "page.signIn.forgot" : "page.link.verify"), isQuiet: true)
        }

        /// Returns the kind of the button that has sent a form; nil for another button.
        static func chosen(in fields: FormFields) throws -> Kind? {
            try allCases.first { try fields.single($0.rawValue) != nil }
        }
    }

    /// Returns the page that asks for an address.
    package func address(
        _ kind: Kind, for purpose: PageForm.Purpose, in request: HTTPRequest, typed: String = "",
        problem: IdentityError? = nil
    ) throws(IdentityError) -> HTTPResponse {
        guard kind != .password || signInPages.permitted.permits(.password) else {
            // The page of the sign-in has the ways that work.
            return try signInPages.signIn(for: purpose, in: request, problem: .signInWayOff)
        }
        let (browser, cookie) = try signInPages.browser(of: request)
        let context = signInPages.context(of: request, for: purpose)
        let page = HTMLPage(
            kind.title, text: kind.text, problem: problem?.pageProblem, invalidFields: ["email"],
            action: (kind.path, Phrase("page.forgot.submit")),
            carrying: try signInPages.seal(purpose, .mailRequest, browser: browser),
            fields: [.address(typed.utf8.count > 320 ? "" : typed, in: context)],
            others: [.init("signin", Phrase("page.forgot.signIn"))], in: context)
        return signInPages.response(page, for: purpose, problem: problem).setting(cookie)
    }

    /// Returns the page after the request, which is the same for every address.
    package func sent(
        _ kind: Kind, to email: EmailAddress, for purpose: PageForm.Purpose, in request: HTTPRequest
    ) throws(IdentityError) -> HTTPResponse {
        let (browser, cookie) = try signInPages.browser(of: request)
        let context = signInPages.context(of: request, for: purpose)
        let page = HTMLPage(
            Phrase("page.forgot.done.title"), text: kind.answer(email),
            action: (kind.path, Phrase("page.forgot.signIn")),
            carrying: try signInPages.seal(purpose, .mailSent, browser: browser),
            others: [.init("again", Phrase("page.forgot.again"))],
            links: kind == .verification ? [("/verify", Phrase("page.verify.byCode"))] : [], in: context)
        return signInPages.response(page, for: purpose).setting(cookie)
    }
}

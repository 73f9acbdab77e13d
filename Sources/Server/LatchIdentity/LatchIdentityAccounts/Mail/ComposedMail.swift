// SPDX-License-Identifier: Apache-2.0

package import LatchFoundation
package import LatchIdentityStorage
import LatchSignIn
package import LatchTexts

/// The texts of one email to a user, as plain text and as HTML, in one language.
///
/// Links begin with the issuer, never with the Host of a request. An email contains two inputs of users: the address of
/// its recipient, and the IP address of the client.
package struct ComposedMail {
    package let subject: String
    package let text: String
    package let html: String

    /// Creates the texts of an email.
    ///
    /// Its link opens a form, or the page of the account, where its user signs in: opening the link changes nothing
    /// (decision 0120).
    ///
    /// - Parameters:
    ///   - date: The time of the request that caused the email.
    ///   - cause: That request, which emails about the safety of an account describe.
    package init(
        _ purpose: OutboxMail.Purpose, to recipient: String, token: String, code: String, issuer: String,
        providers: [String] = [], at date: Date, causedBy cause: MailCause = MailCause(),
        configuration: IdentityConfiguration = IdentityConfiguration(), texts: Texts = Texts(languages: [])
    ) {
        let server = issuer.withoutFinalSlash
        let support = configuration.supportURL
        let value = { (field: MailField) -> String in
            switch field {
            case .service: configuration.serviceName
            case .recipient: recipient
            case .link:
                switch purpose.page {
                case .form(let path): "\(server)\(path)?token=\(token)"
                case .account, nil: "\(server)/account"
                }
            case .code: "\(code.prefix(3)) \(code.suffix(3))"
            case .codePage: "\(server)/verify"
            case .lifetime: texts(Self.lifetime(of: purpose, configuration))
            case .details: Self.details(to: recipient, at: date, causedBy: cause, texts: texts)
            case .providers:
                providers.isEmpty
                    ? ""
                    : texts(Phrase("mail.passwordChanged.providers", .text(providers.joined(separator: ", "))))
            case .support: support.map { MailLayout.supportText($0, texts: texts) } ?? ""
            }
        }
        let template =
            configuration.mailTemplates?.template(for: purpose, in: texts.language)
            ?? MailTemplate(purpose, texts: texts)
        subject = template.subject.filled(value)
        text = template.text(value)
        html = MailLayout(
            accent: configuration.accentColor.flatMap(PageColor.init)?.text ?? PageStyle.accent, supportURL: support,
            button: texts(Phrase("mail.\(purpose.rawValue).button")), texts: texts
        ).html(template, value)
    }

    /// Returns the time that the link is valid, or until the account is deleted.
    private static func lifetime(of purpose: OutboxMail.Purpose, _ configuration: IdentityConfiguration) -> Phrase {
        let time: Duration =
            switch purpose {
            case .resetPassword: configuration.resetLifetime
            case .deletionRequested: configuration.deletionDelay
            case .factorRecoveryBegun: configuration.factorRecoveryDelay ?? .zero
            case .factorRecoverySoon: .seconds(Int64(FactorRecovery.reminder))
            default: configuration.verificationLifetime
            }
        let minutes = Int(time.components.seconds / 60)
        // In the largest unit that divides it; in days only from two days on.
        if minutes >= 48 * 60, minutes % (24 * 60) == 0 {
            return Phrase("mail.lifetime.days", .count(minutes / (24 * 60)))
        }
        if minutes % 60 == 0 { return Phrase("mail.lifetime.hours", .count(minutes / 60)) }
        return Phrase("mail.lifetime.minutes", .count(minutes))
    }

    /// Returns what the owner compares with the memory: the account, the time, the device and its address.
    private static func details(
        to recipient: String, at date: Date, causedBy cause: MailCause, texts: Texts
    ) -> String {
        let facts: [(label: Phrase, value: String?)] = [
            (Phrase("mail.detail.account"), recipient), (Phrase("mail.detail.time"), Texts.minute(date)),
            // The text of a stranger's device would be a stranger's text in an email of the service.
            (Phrase("mail.detail.device"), UserAgentDescription(of: cause.userAgent).text),
            (Phrase("mail.detail.address"), cause.address),
        ]
        return facts.compactMap { fact in
            fact.value.map { texts(Phrase("mail.labeled", .phrase(fact.label), .text($0))) }
        }.joined(separator: "\n")
    }
}

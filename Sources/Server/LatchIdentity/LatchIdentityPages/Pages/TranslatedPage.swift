// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchHTTP
package import LatchIdentityStorage
package import LatchSignIn
import LatchTexts

extension HTMLPage {
    /// Creates a page in the language of a request, with the name of the service.
    ///
    /// The other parameters are those of the initializer with plain texts.
    init(
        _ title: Phrase, text: Phrase? = nil, items: [Phrase] = [], qrCode: (code: QRCode, label: Phrase)? = nil,
        codes: (list: [String], label: Phrase)? = nil, problem: Phrase? = nil, invalidFields: [String] = [],
        action: (path: String, button: Phrase?)? = nil, carrying token: String? = nil, fields: [HTMLField] = [],
        scriptedButton: ScriptedButton? = nil, alternative: Phrase? = nil, others: [Button<Phrase>] = [],
        refusal: Phrase? = nil, links: [(url: String, label: Phrase)] = [],
        appLink: (url: String, label: Phrase)? = nil, in context: PageContext
    ) {
        let texts = context.texts
        self.init(
            texts(title), text: text.map(texts.callAsFunction) ?? "", items: items.map(texts.callAsFunction),
            qrCode: qrCode.map { ($0.code, texts($0.label)) }, codes: codes.map { ($0.list, texts($0.label)) },
            problem: problem.map { texts(Phrase("page.error", .phrase($0))) }, invalidFields: invalidFields,
            action: action.map { (context.url($0.path), $0.button.map(texts.callAsFunction)) }, carrying: token,
            fields: fields, scriptedButton: scriptedButton, alternative: alternative.map(texts.callAsFunction),
            others: others.map { $0.labeled(texts.callAsFunction) }, refusal: refusal.map(texts.callAsFunction),
            links: links.map { Link(context.url($0.url), texts($0.label)) },
            appLink: appLink.map { ($0.url, texts($0.label)) })
        finish(title, problem: problem, in: context)
    }

    /// Creates a page of sections in the language of a request, with the name of the service.
    ///
    /// The other parameters are those of the initializer with plain texts.
    init(
        _ title: Phrase, text: Phrase? = nil, notice: Phrase? = nil, problem: Phrase? = nil,
        search: [HTMLField] = [], sections: [HTMLSection], action: String? = nil, carrying token: String? = nil,
        others: [Button<String>] = [], links: [(url: String, label: Phrase)] = [],
        appLink: (url: String, label: Phrase)? = nil, in context: PageContext
    ) {
        let texts = context.texts
        self.init(
            texts(title), text: text.map(texts.callAsFunction) ?? "", notice: notice.map(texts.callAsFunction),
            problem: problem.map { texts(Phrase("page.error", .phrase($0))) }, search: search,
            searchButton: texts(Phrase("page.search")), sections: sections, action: action.map(context.url),
            carrying: token, others: others, links: links.map { Link(context.url($0.url), texts($0.label)) },
            appLink: appLink.map { ($0.url, texts($0.label)) })
        finish(title, problem: problem, in: context)
        if let notice { windowTitle = texts(Phrase("page.notice", .phrase(notice), .phrase(title))) }
    }

    private mutating func finish(_ title: Phrase, problem: Phrase?, in context: PageContext) {
        if problem != nil { windowTitle = context.texts(Phrase("page.error", .phrase(title))) }
        context.finish(&self)
    }

    /// Returns a page that shows its form again after an error.
    package func response(after error: IdentityError) -> HTTPResponse {
        response(status: error.form.status).failing(with: error)
    }
}

extension HTMLPage.ScriptedButton {
    /// The button that signs in with a passkey.
    package static func passkey(in context: PageContext) -> HTMLPage.ScriptedButton {
        let texts = context.texts
        return HTMLPage.ScriptedButton(
            id: "passkey", label: texts(Phrase("page.signIn.passkey")),
            problem: texts(Phrase("page.error", .phrase(Phrase("page.signIn.passkey.problem")))),
            field: PasskeyScript.field, script: context.url(PasskeyScript.path))
    }

    /// The button that creates a passkey with `PublicKeyCredentialCreationOptionsJSON`.
    static func newPasskey(_ options: JSONObject, in context: PageContext) -> HTMLPage.ScriptedButton {
        let texts = context.texts
        return HTMLPage.ScriptedButton(
            id: "passkey", label: texts(Phrase("page.account.passkeys.submit")),
            problem: texts(Phrase("page.error", .phrase(Phrase("page.account.passkeys.problem")))),
            field: PasskeyScript.field, script: context.url(PasskeyScript.path),
            options: String(decoding: JSONValue.object(options).serialized(), as: UTF8.self))
    }
}

/// The fields of the server's pages, labeled in the language of a request.
extension HTMLField {
    /// Returns the fields of a sign-in.
    ///
    /// The first empty one has the focus.
    package static func signIn(name: String, offersPasskeys: Bool = false, in context: PageContext) -> [HTMLField] {
        [
            .username(label: context.texts(Phrase("page.field.account")), value: name, offersPasskeys: offersPasskeys),
            currentPassword(in: context),
        ]
    }

    /// The field of an account's password.
    static func currentPassword(in context: PageContext) -> HTMLField {
        .password(label: context.texts(Phrase("page.field.password")))
    }

    /// Returns the field of a new password, with the address of its account for password managers.
    package static func newPassword(_ name: String = "password", of user: String, in context: PageContext)
        -> [HTMLField]
    {
        [.hiddenUsername(user), newPassword(name, in: context)]
    }

    /// Returns the field of a new password, after one with the account's address.
    static func newPassword(_ name: String = "password", in context: PageContext) -> HTMLField {
        .newPassword(
            name, label: context.texts(Phrase("page.field.newPassword")),
            hint: context.texts(Phrase("page.field.newPassword.hint")),
            advice: (
                common: context.texts(Phrase("field.newPassword.common")),
                accepted: context.texts(Phrase("field.newPassword.accepted"))
            ),
            script: context.url(PasswordScript.path))
    }

    /// Returns the field for the address that an email is sent to.
    package static func address(_ value: String, in context: PageContext) -> HTMLField {
        .email(label: context.texts(Phrase("page.field.email")), value: value)
    }

    /// Returns the field of the code that another device shows.
    package static func userCode(_ code: String, in context: PageContext) -> HTMLField {
        .userCode(code, label: context.texts(Phrase("page.field.code")))
    }

    /// The field of a code of the second factor, or of a recovery code.
    static func factorCode(in context: PageContext) -> HTMLField {
        .oneTimeCode(label: context.texts(Phrase("page.field.code")))
    }

    package static func mailedCode(in context: PageContext) -> HTMLField {
        .mailedCode(label: context.texts(Phrase("page.field.mailedCode")))
    }
}

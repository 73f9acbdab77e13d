// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
package import LatchIdentityAccounts
import LatchIdentityProvider
import LatchIdentityStorage
package import LatchServer
import LatchSignIn
import LatchTexts

/// The page on which users change the attributes of their account that are theirs.
package struct AccountAttributeRoutes: Sendable {
    static let path = "\(AccountOverview.path)/attributes"

    package let limits: RateLimits
    package let accounts: AccountService
    package let overview: AccountOverview

    package init(limits: RateLimits, accounts: AccountService, overview: AccountOverview) {
        self.limits = limits
        self.accounts = accounts
        self.overview = overview
    }

    private var sessions: AccountSessions { overview.sessions }
    /// The attributes that the page has a field for.
    private var attributes: [AccountAttribute] { accounts.attributes.all.filter(\.hasField) }

    package func add(to router: inout Router) {
        let context = sessions.signInPages.context
        router.group(interceptors: limits.pages(limiting: .page, in: context)) { $0.get(Self.path, show) }
        router.group(interceptors: limits.pages(limiting: .link, in: context)) { $0.post(Self.path, submit) }
    }

    @Sendable private func show(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await sessions.visiting(Self.path, request) { session throws(IdentityError) in
            guard !attributes.isEmpty else {
                return .seeOther(sessions.signInPages.context.url(AccountOverview.path))
            }
            return try page(in: session, request)
        }
    }

    @Sendable private func submit(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await sessions.changing(
            Self.path, request,
            orShowing: { submission, error throws(IdentityError) in
                try page(in: submission.session, request, typed: submission.fields, problem: error)
            }
        ) { submission in
            var changes: [String: JSONValue] = [:]
            for attribute in attributes {
                guard let typed = try submission.fields.single(attribute.field) else { continue }
                let text = String(typed.trimmingSpace())
                // An unchanged value of an earlier configuration may be one that the attribute no longer takes.
                guard text != attribute.text(in: submission.session.account) else { continue }
                changes[attribute.name] = try attribute.value(typed: text)
            }
            try await accounts.changeAttributes(of: sessions.authenticated(submission.session), to: changes)
            return try await overview.page(
                in: submission.session, request, notice: Phrase("page.account.attributes.done"))
        }
    }

    private func page(
        in session: ActivePageSession, _ request: HTTPRequest, typed: FormFields? = nil, problem: IdentityError? = nil
    ) throws(IdentityError) -> HTTPResponse {
        try sessions.form(Self.path, in: session, request, problem: problem) { token, context in
            let invalid = attributes.first { $0.name == problem?.field }
            return HTMLPage(
                Phrase("page.account.attributes.title"), text: Phrase("page.account.attributes.text"),
                problem: invalid.map { Phrase("page.account.attributes.problem", .text($0.name)) }
                    ?? problem?.pageProblem,
                invalidFields: [invalid?.field].compactMap(\.self),
                action: (Self.path, Phrase("page.account.save")), carrying: token,
                fields: attributes.map { attribute in
                    attribute.field(
                        showing: typed?[attribute.field] ?? attribute.text(in: session.account), context.texts)
                },
                links: AccountSessions.back, in: context)
        }
    }
}

extension AccountAttribute {
    /// Whether the owner of an account changes the attribute on a page.
    var hasField: Bool {
        guard reader == .user, writer == .user else { return false }
        switch type {
        case .text, .number, .boolean: return true
        case .textList, .json: return false
        }
    }

    /// The name of the field.
    fileprivate var field: String { "attribute_\(name)" }

    /// Returns the text of the field for the value that an account has.
    fileprivate func text(in account: Account) -> String {
        guard let value = account.attributes[name] else { return "" }
        return value.stringValue ?? value.compactText
    }

    /// Returns the value of a text; null for an empty one.
    fileprivate func value(typed text: String) throws(IdentityError) -> JSONValue {
        guard !text.isEmpty else { return .null }
        let value = value(ofText: text) ?? .string(text)
        if let expectation = expectation(of: value) { throw .invalid(name, expectation) }
        return value
    }

    fileprivate func field(showing text: String, _ texts: Texts) -> HTMLField {
        let none = (value: "", label: texts(Phrase("page.account.attributes.none")))
        switch type {
        case .boolean:
            return .choice(
                field, label: name,
                options: [none] + ["true", "false"].map { ($0, JSONValue.bool($0 == "true").shown(in: texts)) },
                value: text)
        case .text where !values.isEmpty:
            let known = values.contains(text) || text.isEmpty ? values : values + [text]
            return .choice(field, label: name, options: [none] + known.map { ($0, $0) }, value: text)
        case .number: return .line(field, label: name, value: text, maximum: 40, inputMode: "decimal")
        case .text, .textList, .json: return .line(field, label: name, value: text, maximum: maximum)
        }
    }
}

extension JSONValue {
    fileprivate var compactText: String { String(decoding: serialized(), as: UTF8.self) }

    /// Returns the value of an attribute for a page.
    func shown(in texts: Texts) -> String {
        switch self {
        case .string(let text): text
        case .bool(let flag): texts(Phrase(flag ? "page.account.attributes.yes" : "page.account.attributes.no"))
        case .array(let elements) where elements.allSatisfy({ $0.stringValue != nil }):
            elements.compactMap(\.stringValue).joined(separator: ", ")
        case .null, .integer, .number, .array, .object: compactText
        }
    }
}

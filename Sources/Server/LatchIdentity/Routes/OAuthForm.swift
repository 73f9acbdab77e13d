// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchHTTP
import LatchServer

/// The parameters of a request to the token routes, and the app that sends it.
struct OAuthForm: Sendable {
    private let fields: FormFields

    /// Reads the content.
    ///
    /// - Throws: `IdentityError.invalidInput` where a parameter stands twice (RFC 6749 §3.2), also one that nobody reads,
    ///   `.contentTooLarge`, or a `ServerError` for what is no form.
    init(_ request: HTTPRequest) throws {
        guard request.body.bytes.count <= 64 << 10 else { throw IdentityError.contentTooLarge }
        fields = try request.formFields()
        guard Set(fields.map(\.name)).count == fields.count else {
            throw IdentityError.invalidInput("a parameter stands more than once")
        }
    }

    /// A parameter; one without a value is as good as none (RFC 6749 §3.2).
    subscript(name: String) -> String? { fields[name].flatMap { $0.isEmpty ? nil : $0 } }

    /// A parameter that must be there.
    ///
    /// - Throws: `IdentityError.invalidInput`.
    func required(_ name: String) throws(IdentityError) -> String {
        guard let value = self[name] else { throw .invalidInput("'\(name)' is missing") }
        return value
    }

    /// The scopes that are asked for; nil where there are none.
    func scopes() throws(IdentityError) -> Scopes? { try Scopes(asked: self["scope"]) }

    /// Whoever sends the request: the app that its credentials prove, or the server's own where it names none.
    ///
    /// RFC 6749 §2.3.1: by HTTP Basic or in the content, and not by both (attack J3).
    ///
    /// - Throws: `IdentityError.unknownApp`, the same for every cause; `.invalidInput`; `.tooManyAttempts`.
    func app(of request: HTTPRequest, _ parts: IdentityParts) throws(IdentityError) -> RegisteredApp {
        var (id, secret) = (self["client_id"], self["client_secret"])
        if let field = request.fields[.authorization], AppCredentials.isBasic(field) {
            guard secret == nil else { throw .invalidInput("the app authenticates in two ways") }
            guard let pair = AppCredentials(basic: field), id ?? pair.id == pair.id else { throw .unknownApp }
            (id, secret) = (pair.id, pair.secret)
        }
        guard secret != nil else {
            guard let app = parts.apps.authenticated(id: id, secret: nil) else { throw .unknownApp }
            return app
        }
        // A secret could be tried as a password could, so it is limited as one; a right one costs no attempt.
        let attempt = parts.limits.appSecret(of: id ?? "", address: request.signInOrigin.address)
        if let refusal = parts.limiter.take([attempt], at: parts.clock.now) { throw .tooManyAttempts(refusal) }
        guard let app = parts.apps.authenticated(id: id, secret: secret) else { throw .unknownApp }
        parts.limiter.giveBack([attempt])
        return app
    }
}

extension Scopes {
    /// The scopes of a request; nil where it names none.
    ///
    /// - Throws: `IdentityError.invalidScope` where a part is no scope-token (RFC 6749 §3.3) or there are absurdly many.
    init?(asked text: String?) throws(IdentityError) {
        guard let text, !text.isEmpty else { return nil }
        let words = text.split(separator: " ")
        guard text.utf8.count <= 4096, words.allSatisfy({ Scope(rawValue: String($0)) != nil }) else {
            throw .invalidScope
        }
        self.init(parsing: text)
        if isEmpty { return nil }
    }
}

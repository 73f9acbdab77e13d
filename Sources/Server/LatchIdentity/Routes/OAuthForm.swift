// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import LatchServer

/// The form parameters of a request to the OAuth endpoints, and the client that sends it.
struct OAuthForm: Sendable {
    /// The parameters that have a value; an empty one counts as missing (RFC 6749 §3.2).
    let parameters: [String: String]

    /// Parses the content.
    ///
    /// - Throws: `IdentityError.invalidInput` if any parameter occurs twice (RFC 6749 §3.2), `.contentTooLarge`, or a
    ///   `ServerError` if the content is not a form.
    init(_ request: HTTPRequest) throws {
        guard request.body.bytes.count <= 64 << 10 else { throw IdentityError.contentTooLarge }
        let fields = try request.formFields()
        guard Set(fields.map(\.name)).count == fields.count else {
            throw IdentityError.invalidInput("a parameter occurs more than once")
        }
        let pairs = fields.map { ($0.name, $0.value) }.filter { !$0.1.isEmpty }
        parameters = Dictionary(uniqueKeysWithValues: pairs)
    }

    /// Returns a required parameter.
    ///
    /// - Throws: `IdentityError.invalidInput`.
    func required(_ name: String) throws(IdentityError) -> String {
        guard let value = parameters[name] else { throw .invalidInput("'\(name)' is missing") }
        return value
    }

    /// Returns the client that the request's credentials authenticate, or the server's own if it names none.
    ///
    /// RFC 6749 §2.3.1: by HTTP Basic or in the content, and not by both (attack J3).
    ///
    /// - Throws: `IdentityError.invalidClient`, the same for every cause; `.invalidInput`; `.tooManyAttempts`.
    func client(of request: HTTPRequest, _ dependencies: Dependencies) throws(IdentityError) -> OAuthClient {
        var (id, secret) = (parameters["client_id"], parameters["client_secret"])
        if let field = request.fields[.authorization], ClientCredentials.isBasic(field) {
            guard secret == nil else { throw .invalidInput("the app authenticates in two ways") }
            guard let pair = ClientCredentials(basic: field), id ?? pair.id == pair.id else { throw .invalidClient }
            (id, secret) = (pair.id, pair.secret)
        }
        guard secret != nil else {
            guard let client = dependencies.clients.authenticated(id: id, secret: nil) else { throw .invalidClient }
            return client
        }
        // A secret can be guessed as a password can, so it has the same limit; a right one costs no attempt.
        let attempt = dependencies.limits.clientSecret(of: id ?? "", address: request.requestOrigin.address)
        try dependencies.take([attempt])
        guard let client = dependencies.clients.authenticated(id: id, secret: secret) else { throw .invalidClient }
        dependencies.limiter.refund([attempt])
        return client
    }
}

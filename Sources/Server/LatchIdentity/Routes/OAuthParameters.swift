// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import LatchServer

/// The parameters of a request to the OAuth endpoints; an empty one counts as missing (RFC 6749 §3.2).
struct OAuthParameters: Sendable {
    private let values: [String: String]
    /// The resources that the token is for, as the client names them (RFC 8707 §2).
    let resources: [String]

    /// Creates the parameters of a request in another form than RFC 6749's.
    init(_ values: [String: String], resources: [String] = []) {
        self.values = values.filter { !$0.value.isEmpty }
        self.resources = resources.filter { !$0.isEmpty }
    }

    /// Parses the form of a request.
    ///
    /// - Throws: `IdentityError.invalidInput` if any parameter but `resource` occurs twice (RFC 6749 §3.2), `.contentTooLarge`, or a
    ///   `ServerError` if the content is not a form.
    init(form request: HTTPRequest) throws {
        guard request.body.bytes.count <= 64 << 10 else { throw IdentityError.contentTooLarge }
        let all = try request.formFields()
        let fields = all.filter { $0.name != "resource" }
        guard Set(fields.map(\.name)).count == fields.count else {
            throw IdentityError.invalidInput("a parameter occurs more than once")
        }
        self.init(
            Dictionary(uniqueKeysWithValues: fields.map { ($0.name, $0.value) }), resources: all.values(of: "resource"))
    }

    /// Returns a parameter; nil if it is missing.
    subscript(name: String) -> String? { values[name] }

    /// Returns a required parameter.
    ///
    /// - Throws: `IdentityError.invalidInput`.
    func required(_ name: String) throws(IdentityError) -> String {
        guard let value = values[name] else { throw .missing(name) }
        return value
    }

    /// Returns the client that the request's credentials authenticate, or the server's own if it names none.
    ///
    /// RFC 6749 §2.3.1: by HTTP Basic or in the content, and not by both (attack J3).
    ///
    /// - Throws: `IdentityError.invalidClient`, the same for every cause; `.invalidInput`; `.tooManyAttempts`.
    func client(of request: HTTPRequest, _ dependencies: Dependencies) throws(IdentityError) -> OAuthClient {
        var (id, secrets) = (values["client_id"], Set(values["client_secret"].map { [$0] } ?? []))
        if let field = request.fields[.authorization], ClientCredentials.isBasic(field) {
            guard secrets.isEmpty else { throw .invalidInput("the client authenticates in two ways") }
            guard let pair = ClientCredentials(basic: field), id ?? pair.id == pair.id else { throw .invalidClient }
            (id, secrets) = (pair.id, pair.secrets)
        }
        // A secret can be guessed as a password can, so it has the same limit; a right one costs no attempt.
        let attempts =
            secrets.isEmpty
            ? [] : [dependencies.limits.clientSecret(of: id ?? "", address: request.requestOrigin.address)]
        try dependencies.take(attempts)
        guard let client = dependencies.clients.authenticated(id: id, secrets: secrets) else { throw .invalidClient }
        dependencies.limiter.refund(attempts)
        return client
    }
}

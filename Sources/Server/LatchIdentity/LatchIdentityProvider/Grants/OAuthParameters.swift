// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchHTTP
package import LatchIdentityStorage
import LatchServer

/// The parameters of a request to the OAuth endpoints.
///
/// An empty one counts as missing (RFC 6749 §3.2).
package struct OAuthParameters: Sendable {
    private let values: [String: String]
    /// The resources that the token is for, as named by the client (RFC 8707 §2).
    package let resources: [String]
    /// The audiences of a token exchange, which are other names of resource servers (RFC 8693 §2.1).
    package let audiences: [String]

    /// Creates the parameters of a request whose format is not that of RFC 6749.
    package init(_ values: [String: String], resources: [String] = [], audiences: [String] = []) {
        self.values = values.filter { !$0.value.isEmpty }
        self.resources = resources.filter { !$0.isEmpty }
        self.audiences = audiences.filter { !$0.isEmpty }
    }

    /// Parses the form of a request.
    ///
    /// - Throws: `IdentityError.invalidInput` if any parameter except `resource` and `audience` occurs twice (RFC 6749
    ///   §3.2);
    ///   `.contentTooLarge`; or a `ServerError` if the content is not a form.
    package init(form request: HTTPRequest) throws {
        guard request.body.bytes.count <= 64 << 10 else { throw IdentityError.contentTooLarge }
        let all = try request.formFields()
        let fields = all.filter { $0.name != "resource" && $0.name != "audience" }
        guard Set(fields.map(\.name)).count == fields.count else {
            throw IdentityError.invalidInput("a parameter occurs more than once")
        }
        self.init(
            Dictionary(uniqueKeysWithValues: fields.map { ($0.name, $0.value) }), resources: all.values(of: "resource"),
            audiences: all.values(of: "audience"))
    }

    /// Returns a parameter; nil if it is missing.
    package subscript(name: String) -> String? { values[name] }

    /// Returns a required parameter.
    ///
    /// - Throws: `IdentityError.invalidInput`.
    package func required(_ name: String) throws(IdentityError) -> String {
        guard let value = values[name] else { throw .missing(name) }
        return value
    }
}

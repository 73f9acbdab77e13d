// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import LatchIdentityStorage

/// What a client says about itself to people (OpenID Connect Registration §2, RFC 7591 §2).
///
/// No operator has checked it. Pages show it beside the host that gets the code.
public struct ClientPresentation: Sendable, Hashable {
    /// The name for users; nil for a client that is shown by its ID.
    public var name: String?
    /// The names in the server's languages, by their tags (OpenID Connect Registration §2.1).
    public var names: [String: String] = [:]
    /// The URL of a page about the client.
    public var clientURI: String?
    /// The URL of an image, which no page loads: it would come from another host.
    public var logoURI: String?
    /// The URL of a page that says what the client does with the data of its users.
    public var policyURI: String?
    /// The URL of the client's terms of service.
    public var termsURI: String?
    /// The ways to reach the people who are responsible for the client, as a rule email addresses.
    public var contacts: [String] = []
    /// The identifier and the version of the software, which are the same for all its installations.
    public var softwareID, softwareVersion: String?
    /// The https URL at which a sign-in at the client begins (OpenID Connect Core §4).
    public var initiateLoginURI: String?

    /// Creates the presentation of a client that says nothing.
    public init() {}
}

extension ClientPresentation {
    /// Returns the name in a language; nil for a client without a name.
    package func name(in language: String) -> String? { names[language] ?? name }

    /// Returns whether a text is a URL that a page may link to, without the separators of a word of a configuration.
    static func isLink(_ text: String) -> Bool {
        guard text.utf8.count <= 500, PublicURL.isLink(text), !text.utf8.contains(where: { ",;".utf8.contains($0) })
        else { return false }
        return AppRedirect.isSecure(text) || text.utf8.starts(with: "http://".utf8) && AppRedirect.isLoopback(text)
    }

    /// Returns whether a text is an address of a person, without the separators of a word.
    static func isContact(_ text: String) -> Bool {
        isName(text) && !text.utf8.contains { " ,;".utf8.contains($0) }
    }

    /// Returns whether a text is a name in one line, which cannot pretend to be another text of a page.
    static func isName(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        guard let first = scalars.first, let last = scalars.last, text.utf8.count <= 200 else { return false }
        return text.isPlain && text.isVisible && !first.properties.isWhitespace && !last.properties.isWhitespace
    }
}

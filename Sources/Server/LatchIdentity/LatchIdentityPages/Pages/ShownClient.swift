// SPDX-License-Identifier: Apache-2.0

import LatchIdentityAccounts
import LatchTexts

/// A client as its users see it on the page on which they decide.
///
/// No operator has checked what a client says about itself. So its name stands beside the host that gets the code, and
/// the title of the page has the host of a client that registers itself. Images would come from its host, which would learn of the visit.
struct ShownClient: Sendable {
    /// The name in the title of the page.
    let title: String
    /// The name in a sentence, with the host that gets the code, or that describes the client.
    let name: String
    /// The pages about the client, each with its host.
    let links: [(url: String, label: Phrase)]

    /// Whether the client describes itself, so that no operator has checked it.
    private let isUnchecked: Bool

    /// - Parameter redirect: The URL that gets the code; nil on the page for another device, where no host gets one.
    init(_ client: OAuthClient, receiving redirect: String?, in language: String) {
        let name = client.presentation.name(in: language) ?? client.id
        // A redirect that any program can receive has no owner. The URL of a document has one.
        let host = [redirect, client.id].compactMap(\.self).first(where: AppRedirect.isClaimed).map(Self.host)
        title = client.registersItself ? host ?? name : name
        self.name = host.map { "\(name) (\($0))" } ?? name
        isUnchecked = client.registersItself
        links = [
            ("page.consent.policy", client.presentation.policyURI),
            ("page.consent.terms", client.presentation.termsURI),
        ].compactMap { key, url in url.map { ($0, Phrase(key, .text(Self.host(of: $0)))) } }
    }

    /// Returns a text about the request, after the warning that no operator has checked the client.
    func introduced(_ text: Phrase) -> Phrase {
        isUnchecked ? Phrase("page.consent.unchecked", .text(name), .phrase(text)) : text
    }

    /// Returns the host of an http or https URL, with its port.
    private static func host(of url: String) -> String {
        let origin = AppRedirect.origin(url).utf8
        guard let start = origin.firstRange(of: "://".utf8) else { return url }
        return String(Substring(origin[start.upperBound...]))
    }
}

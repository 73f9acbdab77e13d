// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchCommand
import LatchHTTP

/// The address of an issuer, spelt in one way so that the same one is never two.
struct IssuerURL: Sendable, Hashable {
    /// Without a slash at its end.
    let text: String
    let url: URL
    /// Where the tokens of the issuer may go.
    let origin: HTTPOrigin

    /// - Throws: `CommandError.failed` for anything but an absolute http or https URL without query and fragment.
    init(_ text: String) throws(CommandError) {
        var trimmed = text
        while trimmed.hasSuffix("/") { trimmed.removeLast() }
        guard let url = URL(string: trimmed), let origin = HTTPOrigin(url),
            !trimmed.contains(where: { "?#".contains($0) })
        else {
            throw .failed("'\(text)' is not the URL of an issuer.", hint: "Write it as https://id.example.com.")
        }
        self.text = trimmed
        self.url = url
        self.origin = origin
    }
}

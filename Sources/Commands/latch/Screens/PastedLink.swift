// SPDX-License-Identifier: Apache-2.0

import LatchFoundation
import LatchHTTP
import LatchUI

extension ScreenLink {
    /// Creates the link that a user has pasted: a URL for that purpose, only its token, or the code beside the link of a
    /// verification; nil for any other text.
    ///
    /// A URL of another server is refused, because the operator of this server would receive the other server's token.
    ///
    /// - Parameter server: The origin of the server that receives the token.
    init?(pasted text: String, for purpose: Purpose, at server: String) {
        let code = String(text.filter { $0 != " " && $0 != "-" })
        if purpose == .verifyEmail, code.isMailedCode {
            self.init(purpose, token: code)
            return
        }
        let text = String(text.drop { $0 == " " }.prefix { $0 != " " })
        if let url = URL(encodingOnce: text), let link = ScreenLink(url) {
            guard link.purpose == purpose, HTTPOrigin(url)?.description == server else { return nil }
            self = link
            return
        }
        // A token has 256 bits in base64url (RFC 4648 §5).
        let isToken = text.utf8.count >= 43 && text.utf8.allSatisfy { Self.tokenBytes.contains($0) }
        guard isToken else { return nil }
        self.init(purpose, token: text)
    }

    private static let tokenBytes = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
}

extension String {
    /// Whether it is a code from an email: six digits.
    var isMailedCode: Bool { utf8.count == 6 && utf8.allSatisfy { (0x30...0x39).contains($0) } }
}

// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation
import LatchUI

/// The link of an email for a new password, `<scheme>://reset-password?token=…`.
struct ResetLink {
    let screenLink: ScreenLink

    /// Creates the link from a URL; nil for any other URL.
    init?(_ url: URL, scheme: String) {
        guard let parts = URLComponents(url: url, resolvingAgainstBaseURL: false),
            let own = parts.scheme, own.lowercasedASCII() == scheme.lowercasedASCII(), parts.host == "reset-password",
            let token = parts.queryItems?.first(where: { $0.name == "token" })?.value, !token.isEmpty
        else { return nil }
        screenLink = ScreenLink(.resetPassword, token: token)
    }
}

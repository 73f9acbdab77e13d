// SPDX-License-Identifier: Apache-2.0

#if os(macOS)
import LatchCore
import LatchOAuth
import LatchProcess
import PortableFoundation

/// The default browser of the user.
enum SystemBrowser {
    /// Opens a URL.
    ///
    /// - Throws: `OAuthError.browserUnavailable`.
    @Sendable static func open(_ url: URL) async throws {
        do {
            _ = try ChildProcess.start("/usr/bin/open", [url.absoluteString])
        } catch {
            throw OAuthError.browserUnavailable("\(error)")
        }
    }
}
#endif

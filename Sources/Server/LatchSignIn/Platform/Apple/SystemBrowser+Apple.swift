// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import LatchOAuth
import PortableFoundation

#if os(macOS)
import LatchProcess
#endif

/// The default browser of the user.
enum SystemBrowser {
    /// Opens a URL.
    ///
    /// - Throws: `OAuthError.browserUnavailable`, which it always is in an app on a device: `WebAuthenticationBrowser` is for
    ///   those.
    @Sendable static func open(_ url: URL) async throws {
        #if os(macOS)
        do {
            _ = try ChildProcess.start("/usr/bin/open", [url.absoluteString])
        } catch {
            throw OAuthError.browserUnavailable("\(error)")
        }
        #else
        throw OAuthError.browserUnavailable("an app signs in with WebAuthenticationBrowser")
        #endif
    }
}
#endif

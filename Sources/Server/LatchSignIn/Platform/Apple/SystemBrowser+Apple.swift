// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin) && !os(macOS)
import LatchOAuth
package import LatchFoundation

/// The browser of a device, which cannot return to a listener of an app in the background.
package enum SystemBrowser {
    /// Opens nothing.
    ///
    /// - Throws: `OAuthError.browserUnavailable`.
    @Sendable package static func open(_ url: URL) async throws {
        throw OAuthError.browserUnavailable("an app on a device has no loopback browser")
    }
}
#endif

// SPDX-License-Identifier: Apache-2.0

#if os(macOS)
import LatchCore
import LatchOAuth
import LatchProcess
package import PortableFoundation

/// The default browser of the user.
package enum SystemBrowser {
    /// Opens a URL, and returns when the program that does it has ended.
    ///
    /// - Throws: `OAuthError.browserUnavailable`.
    @Sendable package static func open(_ url: URL) async throws {
        let process: ChildProcess
        do { process = try ChildProcess.start("/usr/bin/open", [url.absoluteString], isDetached: true) } catch {
            throw OAuthError.browserUnavailable("\(error)")
        }
        // Nothing else reveals that there is no browser, or that it cannot reach the display.
        let ending = await process.end()
        guard ending == .exited(0) else { throw OAuthError.browserUnavailable("'open' failed (\(ending))") }
    }
}
#endif

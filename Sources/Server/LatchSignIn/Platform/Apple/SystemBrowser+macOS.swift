// SPDX-License-Identifier: Apache-2.0

#if os(macOS)
import LatchCore
import LatchOAuth
import LatchProcess
package import LatchFoundation

/// The default browser of the user.
package enum SystemBrowser {
    /// Opens a URL, and returns when the opening program has ended.
    ///
    /// - Throws: `OAuthError.browserUnavailable`.
    @Sendable package static func open(_ url: URL) async throws {
        let process: ChildProcess
        do { process = try ChildProcess.start("/usr/bin/open", [url.absoluteString], isDetached: true) } catch {
            throw OAuthError.browserUnavailable("\(error)")
        }
        // Only its exit status reveals that no browser exists or that the display cannot be reached.
        let ending = await process.end()
        guard ending == .exited(0) else { throw OAuthError.browserUnavailable("'open' failed (\(ending))") }
    }
}
#endif

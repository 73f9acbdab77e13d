// SPDX-License-Identifier: Apache-2.0

/// Where a client may speak plain http, which anybody on the way can read and change.
public enum InsecureHTTP: Sendable, Hashable {
    /// Only to this machine itself.
    case loopbackOnly
    /// To any host. Credentials and answers travel unprotected.
    case anyHostWithoutEncryption

    /// Whether a request may go to `origin`; https always may.
    package func allows(_ origin: HTTPOrigin) -> Bool {
        origin.scheme == "https" || self == .anyHostWithoutEncryption || origin.isLoopback
    }
}

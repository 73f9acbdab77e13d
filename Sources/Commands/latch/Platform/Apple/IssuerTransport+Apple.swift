// SPDX-License-Identifier: Apache-2.0
#if canImport(Darwin)

import LatchCommand
import LatchHTTP

extension IssuerTransport {
    /// Returns the system's transport, which trusts the authorities of the keychain.
    ///
    /// - Throws: `CommandError.usage` for `--cacert`.
    static func transport(
        of invocation: Invocation, _ variables: [String: String]
    ) throws(CommandError) -> any Handler {
        guard !invocation.has(authorities) else {
            throw .usage(
                "'--cacert' is not available on this platform.",
                hint: "Add the certificate authority to the keychain, and trust it there.")
        }
        return Transport.live
    }

    /// Returns nil: the authorities are in the keychain.
    static func authorityWarning(_ variables: [String: String]) -> StartupWarning? { nil }
}

#endif

// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import LatchCommand
import LatchHTTP

extension IssuerTransport {
    /// Returns the transport of a call: with `--cacert` or SSL_CERT_FILE it trusts only the authorities in that file.
    ///
    /// - Throws: `CommandError.failed` if the option's file cannot be read; libcurl would report that as a failed
    ///   connection.
    static func transport(
        of invocation: Invocation, _ variables: [String: String]
    ) throws(CommandError) -> any Handler {
        if let path = invocation[authorities] { _ = try InputFile.bytes(path) }
        guard let path = invocation[authorities] ?? authorityFile(variables) else { return Transport.live }
        var configuration = CurlTransport.Configuration()
        configuration.certificateAuthorityFile = path
        return CurlTransport(configuration: configuration)
    }

    /// Returns a warning if the authorities cannot be read, because libcurl could then verify no server; nil otherwise.
    static func authorityWarning(_ variables: [String: String]) -> StartupWarning? {
        guard let path = authorityFile(variables) else { return nil }
        do {
            _ = try InputFile.bytes(path)
            return nil
        } catch {
            return StartupWarning(
                message: "SSL_CERT_FILE does not name a readable file: \(error.message)",
                hint: "Correct or unset it: emails, identity providers and the collector are reached over TLS with it.")
        }
    }
}

#endif

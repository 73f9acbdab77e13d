// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import LatchCommand
import LatchHTTP

extension IssuerTransport {
    /// Returns the transport of a call: with `--cacert` or SSL_CERT_FILE it trusts the authorities in that file only.
    ///
    /// - Throws: `CommandError.failed` if the option's file cannot be read; libcurl would report that as a failed
    ///   connection.
    static func transport(
        of invocation: Invocation, _ variables: [String: String]
    ) throws(CommandError) -> any Handler {
        if let path = invocation[authorities] { _ = try InputFile.bytes(path) }
        guard let path = invocation[authorities] ?? authorityFile(variables), !path.isEmpty else {
            return Transport.live
        }
        var configuration = CurlTransport.Configuration()
        configuration.certificateAuthorityFile = path
        return CurlTransport(configuration: configuration)
    }
}

#endif

// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import LatchServer

/// The known origin of a request.
struct RequestOrigin: Sendable {
    /// The address of a caller in the same process.
    static let inProcess = "in process"

    /// The peer of the connection, or the client that a trusted proxy names.
    let address: String
    /// The User-Agent field for the list of devices.
    ///
    /// At most 200 characters of it are kept.
    let userAgent: String?
    /// The client's name for the device, for the same list and with the same limit.
    var deviceName: String?
}

extension HTTPRequest {
    /// The address of the peer and the user agent of the request.
    var requestOrigin: RequestOrigin {
        RequestOrigin(address: remoteAddress ?? RequestOrigin.inProcess, userAgent: fields[.userAgent])
    }
}

extension HTTPFields {
    /// The access token of the Authorization field (RFC 6750 §2.1).
    var bearerToken: String? {
        guard let value = self[.authorization], value.utf8.count < 16 << 10 else { return nil }
        let parts = value.unicodeScalars.split(separator: " ", maxSplits: 1).map { String($0) }
        guard parts.count == 2, parts[0].lowercasedASCII() == "bearer" else { return nil }
        return String(parts[1])
    }
}

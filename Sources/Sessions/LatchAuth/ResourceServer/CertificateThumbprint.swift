// SPDX-License-Identifier: Apache-2.0

import LatchCrypto
import LatchJOSE

/// The SHA-256 thumbprint of a certificate, which tokens are bound to (RFC 8705 §3.1).
package enum CertificateThumbprint {
    /// Returns the thumbprint of a certificate in DER.
    package static func of(_ certificate: [UInt8]) -> String { Base64URL.encode(Array(SHA256.hash(data: certificate))) }
}

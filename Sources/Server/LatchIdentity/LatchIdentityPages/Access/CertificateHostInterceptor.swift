// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchHTTP
import LatchIdentityAccounts
import LatchServer

/// An interceptor that lets certificates of clients count only at the host of `mtls_url`.
///
/// A proxy sets the field with the certificate for that host. For another one it may pass on what a caller has sent.
package struct CertificateHostInterceptor: Filter {
    private let authority: String

    /// Creates an interceptor; nil without a separate URL for certificates.
    package init?(certificateURL: String?) {
        guard let authority = certificateURL.flatMap(PublicURL.authority) else { return nil }
        self.authority = authority
    }

    package func filter(_ request: inout HTTPRequest) -> Filtering<Void> {
        if request.clientCertificate != nil, request.authority.lowercasedASCII() != authority {
            request.context[ClientCertificateKey.self] = nil
        }
        return .proceed(())
    }
}

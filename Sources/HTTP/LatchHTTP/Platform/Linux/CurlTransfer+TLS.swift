// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CCurl
import CCurlShim
import LatchCore

extension CurlTransfer {
    /// Sets what the host may show and is shown; also where that is nothing, since the request before had another host.
    ///
    /// libcurl gives a kept connection only to a transfer with the same settings, so that none is reached around them.
    func applyTLS(_ policy: TLSPolicy, to host: String) throws(HTTPError) {
        let certificate = policy.clientCertificate(for: host)
        showsCertificate = certificate != nil
        let pins = policy.pins(for: host)?.digests.map { digest in
            "sha256//" + String(decoding: Base64Alphabet.standard.encode(digest), as: UTF8.self) + "="
        }
        let code = withCStrings([pins?.joined(separator: ";"), certificate?.passphrase]) { texts in
            var settings = latch_curl_tls()
            settings.pins = texts[0]
            settings.passphrase = texts[1]
            return applyCertificate(certificate?.content, &settings)
        }
        guard code == CURLE_OK else { throw CurlFailure.error(code, authority: authority) }
    }

    private func applyCertificate(_ content: ClientCertificate.Content?, _ settings: inout latch_curl_tls) -> CURLcode {
        switch content {
        case .pem(let certificate, let key):
            certificate.withUnsafeBytes { certificate in
                key.withUnsafeBytes { key in apply(&settings, "PEM", certificate, key: key) }
            }
        case .pkcs12(let container):
            container.withUnsafeBytes { apply(&settings, "P12", $0, key: nil) }
        case nil:
            latch_curl_prepare_tls(easy, &settings)
        }
    }

    private func apply(
        _ settings: inout latch_curl_tls, _ kind: String, _ certificate: UnsafeRawBufferPointer,
        key: UnsafeRawBufferPointer?
    ) -> CURLcode {
        settings.certificate = certificate.baseAddress
        settings.certificate_size = certificate.count
        settings.key = key?.baseAddress
        settings.key_size = key?.count ?? 0
        return kind.withCString { kind in
            settings.kind = kind
            return latch_curl_prepare_tls(easy, &settings)
        }
    }
}
#endif

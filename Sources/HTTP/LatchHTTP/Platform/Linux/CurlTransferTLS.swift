// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CLatchCurl
import CLatchCurlShim
import LatchCore

extension CurlTransfer {
    /// Sets the pins and the client certificate for the host, or removes those of the previous request's host.
    ///
    /// libcurl reuses a connection only for a transfer with the same settings, so they cannot be bypassed.
    func applyTLS(_ policy: TLSPolicy, to host: String) throws(HTTPError) {
        let certificate = policy.clientCertificate(for: host)
        showsCertificate = certificate != nil
        let pins = policy.pins(for: host)?.digests.map { digest in
            "sha256//" + Base64Alphabet.standard.encodePadded(digest)
        }
        let (kind, certificateBytes, key): (String?, [UInt8]?, [UInt8]?) =
            switch certificate?.content {
            case .pem(let certificate, let key): ("PEM", certificate, key)
            case .pkcs12(let container): ("P12", container, nil)
            case nil: (nil, nil, nil)
            }
        var options = CurlOptions(of: easy)
        options.set(CURLOPT_PINNEDPUBLICKEY, text: pins?.joined(separator: ";"))
        options.set(CURLOPT_SSLCERTTYPE, text: kind)
        options.set(CURLOPT_SSLKEYTYPE, text: key == nil ? nil : kind)
        options.set(CURLOPT_SSLCERT_BLOB, bytes: certificateBytes)
        options.set(CURLOPT_SSLKEY_BLOB, bytes: key)
        options.set(CURLOPT_KEYPASSWD, text: certificate?.passphrase)
        guard options.code == CURLE_OK else { throw CurlFailure.error(options.code, authority: authority) }
    }
}
#endif

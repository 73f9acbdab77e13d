// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import LatchHTTP
import LatchServer
import TestSupport
import Testing

@Suite struct CipherTests {
    private func withClient(_ body: (SecureClient) async throws -> Void) async throws {
        let certificate = try await Certificate()
        var configuration = Server.Configuration.patient
        configuration.tls = try certificate.tls()
        try await serving(ClosureHandler { _ in HTTPResponse(status: .ok) }, configuration: configuration) { address in
            try await body(SecureClient(address: address, certificate: certificate))
        }
    }

    @Test(arguments: [
        "ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-ECDSA-CHACHA20-POLY1305",
    ])
    func `The ciphers of a server with a certificate are ephemeral and authenticated in TLS 1.2, with HTTP/2`(
        cipher: String
    ) async throws {
        try await withClient { client in
            let text = try await client.handshake(["-tls1_2", "-cipher", cipher, "-alpn", "h2"])
            #expect(text.contains("ALPN protocol: h2"))
            #expect(text.contains("Cipher is \(cipher)"))
        }
    }

    /// RFC 9113 appendix A lists them; the certificate would suit each.
    @Test(arguments: [
        "ECDHE-ECDSA-AES128-SHA", "ECDHE-ECDSA-AES256-SHA384", "ECDHE-ECDSA-AES128-CCM",
        "ECDHE-ECDSA-CAMELLIA128-SHA256",
    ])
    func `The ciphers of a server with a certificate are not those that HTTP/2 forbids`(cipher: String) async throws {
        try await withClient { client in
            for protocols in ["h2", "http/1.1"] {
                let text = try await client.handshake(
                    ["-tls1_2", "-cipher", "\(cipher):@SECLEVEL=0", "-alpn", protocols])
                #expect(text.contains("handshake failure"))
                #expect(text.contains("Cipher is (NONE)"))
            }
        }
    }

    @Test func `The ciphers of a server with a certificate are not negotiated again`() async throws {
        try await withClient { client in
            let text = try await client.renegotiation(["-tls1_2", "-alpn", "http/1.1"])
            #expect(text.contains("RENEGOTIATING"))
            #expect(text.contains("no renegotiation"))
        }
    }

    @Test
    func `The ciphers of a server with a certificate are never used before the handshake has ended`() async throws {
        try await withClient { client in
            let text = try await client.request(["-tls1_3"])
            #expect(text.contains("HTTP/1.1 200"))
            #expect(text.contains("Max Early Data: 0"))
        }
    }
}

#endif

// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchServer
import LatchTesting
import TestSupport
import Testing

@testable import LatchIdentity

/// Certificates that come by TLS, or from a proxy.
@Suite struct CertificateConnectionTests {
    private func serving(
        _ authority: ClientAuthority, _ source: IdentityConfiguration.ClientCertificateSource,
        _ configure: (inout Server.Configuration) throws -> Void,
        _ body: (Site, Server.Address) async throws -> Void
    ) async throws {
        let bytes = try authority.authority()
        let site = try await Site {
            $0.issuer = Site.issuer
            $0.clientCertificates = source
            $0.clientAuthorities = bytes
            var robot = OAuthClient(id: "robot", isConfidential: true, grants: [.clientCredentials], isTrusted: true)
            robot.authenticationMethod = .tlsClientAuth
            robot.certificateName = CertificateName(.subject, "CN=notes,O=Example,C=DE")
            robot.bindsTokensToCertificate = true
            $0.clients = [robot]
        }
        var configuration = Server.Configuration.patient
        try configure(&configuration)
        try await TestSupport.serving(site.transport, configuration: configuration) { try await body(site, $0) }
        await site.close()
    }

    /// Returns the status of a response to a request without a certificate of TLS.
    private func status(_ request: HTTPRequest) async throws -> Int {
        try await Transport.live.respond(to: request).status.rawValue
    }

    private func request(_ address: Server.Address, fields: HTTPFields = [:]) -> HTTPRequest {
        var request = HTTPRequest(
            method: .post, scheme: address.scheme, authority: address.authority, path: "/oauth/token", fields: fields,
            body: HTTPBody("grant_type=client_credentials&client_id=robot&scope=files:read"))
        request.fields[.contentType] = "application/x-www-form-urlencoded"
        return request
    }

    @Test func `A client authenticates by the server's own TLS, and its token needs the same certificate`() async throws
    {
        let authority = try await ClientAuthority()
        let certificate = try await Certificate()
        func transport(_ client: ClientAuthority.Client?) throws -> CurlTransport {
            var configuration = CurlTransport.Configuration()
            configuration.certificateAuthorityFile = certificate.certificatePath
            if let client { configuration.tls.clientCertificates = [try client.credential(for: "127.0.0.1")] }
            return CurlTransport(configuration: configuration)
        }
        let clients = [try await authority.client(), try await authority.client()]
        let others: [ClientAuthority.Client?] = [
            nil, try await authority.client(subject: "/CN=other"), try await authority.client(days: -1),
            try await authority.stranger(),
        ]
        try await serving(authority, .tls, { $0.tls = try certificate.tls(asking: .requested) }) { _, address in
            for client in others {
                let refused = Response(try await transport(client).respond(to: request(address)))
                #expect(refused.status == 401 && refused.oauthError == "invalid_client")
            }
            let token = Response(try await transport(clients[0]).respond(to: request(address))).accessToken
            for (client, isAccepted) in [(clients[0], true), (clients[1], false), (nil, false)] {
                let call = HTTPRequest(
                    scheme: "https", authority: address.authority, path: "/files",
                    fields: [.authorization: "Bearer \(token)"])
                let transport = try transport(client)
                expectEqual(try await transport.respond(to: call).status == .ok, isAccepted)
            }
        }
    }

    @Test(arguments: [HTTPFieldName("Client-Cert"), "X-SSL-Cert"])
    func `A client authenticates by the field of a trusted proxy, and nobody else by it`(field: HTTPFieldName)
        async throws
    {
        let authority = try await ClientAuthority()
        let own = try await authority.client()
        let base64 = Data(own.der).base64EncodedString()
        let pem = String(decoding: try Certificate.bytes(own.certificatePath), as: UTF8.self)
        let valid = [":\(base64):", PercentEncoding.encode(pem.utf8)]
        let other = ":\(Data(try await authority.stranger().der).base64EncodedString()):"
        let trusted = [NetworkRange("127.0.0.1")].compactMap(\.self)
        func fields(_ values: String...) -> HTTPFields {
            var fields = HTTPFields()
            for value in values { fields.append(value, for: field) }
            return fields
        }
        try await serving(
            authority, .proxy, { $0.trustedProxies = TrustedProxies(trusted, certificateField: field) }
        ) { _, address in
            for value in valid {
                let accepted = try await status(request(address, fields: fields(value)))
                expectEqual(accepted, 200)
            }
            for fields in [
                [:], fields(other), fields("garbage"), fields("::"), fields(valid[0], valid[0]),
                fields(valid[0], other),
                fields("\(valid[0]), \(valid[0])"), fields(":\(String(repeating: "A", count: 20 << 10)):"),
            ] {
                try await expectEqual(status(request(address, fields: fields)), 401)
            }
            let long = fields(":\(String(repeating: "A", count: 64 << 10)):")
            try await expectEqual(status(request(address, fields: long)), 431)
        }
        let untrusted = [NetworkRange("10.0.0.0/8")].compactMap(\.self)
        for proxies in [
            TrustedProxies(untrusted, certificateField: field), TrustedProxies(certificateField: field),
            TrustedProxies(trusted), TrustedProxies(),
        ] {
            try await serving(authority, .proxy, { $0.trustedProxies = proxies }) { _, address in
                for value in valid {
                    let spoofed = try await status(request(address, fields: fields(value)))
                    expectEqual(spoofed, 401)
                }
            }
        }
    }
}

#endif

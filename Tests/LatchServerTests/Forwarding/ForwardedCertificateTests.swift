// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchHTTP
import LatchServer
import TestSupport
import Testing

@Suite struct ForwardedCertificateTests {
    private static let der: [UInt8] = [0x30, 0x82, 0xFF, 0xFE, 0x3E, 0x3F, 0x00, 0x01]
    private static let base64 = Data(der).base64EncodedString()
    private static let pem =
        "-----BEGIN CERTIFICATE-----\n\(base64.prefix(6))\n\(base64.dropFirst(6))\n-----END CERTIFICATE-----\n"
    private static let escaped = PercentEncoding.encode(pem.utf8)

    /// Returns what a handler of a server finds in a request that came over a connection of this machine.
    private func certificate(
        _ values: [String], field: HTTPFieldName = "Client-Cert", trusting ranges: [String] = ["127.0.0.1"]
    ) async throws -> [UInt8]? {
        var configuration = Server.Configuration(port: 0)
        configuration.trustedProxies = TrustedProxies(ranges.compactMap { NetworkRange($0) })
        let server = Server(
            handler: ClosureHandler { request in
                let found = request.forwardedClientCertificate(in: field)
                return HTTPResponse(status: found == nil ? .noContent : .ok, body: HTTPBody(found ?? []))
            }, configuration: configuration)
        let address = try await server.start().url
        do {
            var request = try HTTPRequest(url: try #require(URL(string: address)))
            for value in values { request.fields.append(value, for: field) }
            let response = try await Transport.live.respond(to: request)
            await server.shutdown(grace: .zero)
            return response.status == .ok ? response.body.bytes : nil
        } catch {
            await server.shutdown(grace: .zero)
            throw error
        }
    }

    // RFC 9440 §2.2.
    @Test(arguments: [":\(base64):", escaped, pem.replacing("\n", with: " ")])
    func `A certificate that a trusted proxy forwards is read as its bytes`(value: String) async throws {
        try await expectEqual(certificate([value]), Self.der)
        try await expectEqual(certificate([value], field: "X-SSL-Cert"), Self.der)
    }

    @Test func `A certificate that anybody else sends is not read`() async throws {
        try await expectNil(certificate([":\(Self.base64):"], trusting: []))
        try await expectNil(certificate([":\(Self.base64):"], trusting: ["10.0.0.0/8"]))
    }

    @Test(
        arguments: [
            [], [""], ["::"], [":****:"], [base64], ["-----BEGIN CERTIFICATE-----"],
            [":\(base64):", ":\(base64):"], [":\(base64):, :\(base64):"], [escaped + escaped],
            ["-----END CERTIFICATE-----\(base64)-----BEGIN CERTIFICATE-----"],
        ] as [[String]])
    func `A certificate that a trusted proxy forwards is none if it is malformed, or one of several`(values: [String])
        async throws
    {
        try await expectNil(certificate(values))
    }
}

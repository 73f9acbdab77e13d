// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchHTTP
import LatchOAuth
import TestSupport
import Testing

@Suite struct DiscoveryTests {
    // "Seen on the way" in Documentation/PublicReports.md.
    @Test(arguments: [500, 503, 429])
    func `The search for the metadata of a server finds it at the place that works`(status: Int) async throws {
        let provider = try ScriptedProvider()
        provider.deviate { deviations in
            deviations.response = { request in
                switch request.path {
                case "/.well-known/openid-configuration": return HTTPResponse(status: HTTPStatus(rawValue: status))
                case "/.well-known/oauth-authorization-server":
                    let metadata: JSONValue = [
                        "issuer": "https://id.example.com", "token_endpoint": "https://id.example.com/token",
                    ]
                    let bytes: [UInt8] = [0xEF, 0xBB, 0xBF] + metadata.serialized()
                    return HTTPResponse(status: .ok, body: HTTPBody(bytes))
                default: return nil
                }
            }
        }
        try await expectEqual(provider.client().server().tokenEndpoint.path(), "/token")
    }
}
